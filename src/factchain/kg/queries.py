"""The SQL of the store. Values are bound; nothing is interpolated."""

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
