"""The SQL of the store. Values are bound; nothing is interpolated."""

DROP_INCOMING = {
    "entity": "DROP VIEW incoming_entity",
    "property": "DROP VIEW incoming_property",
    "fact": "DROP VIEW incoming_fact",
    "redirect": "DROP VIEW incoming_redirect",
    "triple": "DROP VIEW incoming_triple",
}

DROP_ASIDE = {
    "staged_entity": "DROP VIEW staged_entity",
    "merged_entity": "DROP VIEW merged_entity",
    "matched_fact": "DROP VIEW matched_fact",
    "staged_fact": "DROP VIEW staged_fact",
    "same_passage": "DROP VIEW same_passage",
    "kept": "DROP VIEW kept",
    "numbered_passage": "DROP VIEW numbered_passage",
    "named_entity": "DROP VIEW named_entity",
    "distinct_named": "DROP VIEW distinct_named",
    "named_edge": "DROP VIEW named_edge",
    "cooccurring_fact": "DROP VIEW cooccurring_fact",
    "stated": "DROP VIEW stated",
    "meant": "DROP VIEW meant",
    "meant_edge": "DROP VIEW meant_edge",
    "type_support": "DROP VIEW type_support",
    "stated_part": "DROP VIEW stated_part",
    "chosen": "DROP VIEW chosen",
    "linked_statement": "DROP VIEW linked_statement",
}

PASSAGES = "SELECT id, title, entity, text FROM passage ORDER BY id"

SNAPSHOTS = """
SELECT id, name, date, source, checksum, languages FROM snapshot ORDER BY date
"""

COUNTS = """
SELECT 'entities' AS what, count(*) AS n FROM entity
UNION ALL SELECT 'properties', count(*) FROM property
UNION ALL SELECT 'facts', count(*) FROM fact
UNION ALL SELECT 'facts between entities', count(*) FROM fact WHERE o IS NOT NULL
UNION ALL SELECT 'passages', count(*) FROM passage
UNION ALL SELECT 'mentions', count(*) FROM mention
"""

FACTS_BY_RECENCY = "SELECT recency, count(*) FROM fact_recency GROUP BY recency ORDER BY recency"

FACTS_BY_POPULARITY = """
SELECT coalesce(label, 'between'), count(*) FROM fact_popularity GROUP BY 1 ORDER BY 1
"""

POPULARITY_HISTOGRAM = "SELECT count, count(*) FROM popularity GROUP BY count ORDER BY count"

CLASS_LABELS = """
SELECT e.id, coalesce(c.label, 'Q' || m.class)
FROM (SELECT id, unnest(classes) AS class FROM entity WHERE id IN (SELECT unnest(?))) m
JOIN entity e ON e.id = m.id
LEFT JOIN entity c ON c.id = m.class
ORDER BY 1, 2
"""

# Whether the newest of the tables is there, and the newest of the columns.
HAS_LAYOUT = """
SELECT count(*) = 3 FROM duckdb_columns()
WHERE (table_name, column_name) IN
    (('fact', 'calendar'), ('entity_popularity', 'count'), ('snapshot', 'languages'))
"""
