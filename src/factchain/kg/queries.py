"""The SQL of the store. Values are bound; nothing is interpolated."""

ADD_SNAPSHOT = """
INSERT INTO snapshot
SELECT coalesce(max(id), 0) + 1, ?, ?, ?, ? FROM snapshot
RETURNING id
"""

# The newest snapshot wins: what a newer one says of an entity stays.
ADD_ENTITIES = """
INSERT OR REPLACE INTO entity
SELECT DISTINCT ON (id) id, label, description, aliases, classes, wikipedia, $snapshot
FROM incoming_entity
WHERE id NOT IN (
    SELECT e.id FROM entity e JOIN snapshot s ON s.id = e.snapshot
    WHERE s.date > (SELECT date FROM snapshot WHERE id = $snapshot)
)
ORDER BY id
"""

ADD_PROPERTIES = """
INSERT OR REPLACE INTO property
SELECT DISTINCT ON (id) id, label, description, aliases, datatype, $snapshot
FROM incoming_property
WHERE id NOT IN (
    SELECT p.id FROM property p JOIN snapshot s ON s.id = p.snapshot
    WHERE s.date > (SELECT date FROM snapshot WHERE id = $snapshot)
)
ORDER BY id
"""

ADD_FACTS = """
INSERT INTO fact
SELECT
    (SELECT coalesce(max(id), 0) FROM fact)
        + row_number() OVER (ORDER BY s, p, o, value, datatype, unit, precision),
    s, p, o, value, datatype, unit, precision
FROM (
    SELECT DISTINCT s, p, o, value, datatype, unit, precision FROM incoming_fact
    EXCEPT
    SELECT s, p, o, value, datatype, unit, precision FROM fact
)
ORDER BY s, p, o, value, datatype, unit, precision
"""

# Two statements of one fact: the one that started first.
ADD_FACT_SNAPSHOTS = """
INSERT INTO fact_snapshot
SELECT f.id, $snapshot, i.rank, i.start_time, i.end_time
FROM incoming_fact i
JOIN fact f
  ON f.s = i.s AND f.p = i.p AND f.datatype = i.datatype
 AND f.o IS NOT DISTINCT FROM i.o AND f.value IS NOT DISTINCT FROM i.value
 AND f.unit IS NOT DISTINCT FROM i.unit AND f.precision IS NOT DISTINCT FROM i.precision
QUALIFY row_number() OVER (
    PARTITION BY f.id ORDER BY i.start_time NULLS LAST, i.end_time NULLS LAST
) = 1
ORDER BY f.id
"""

CLEAR_TEXT = "DELETE FROM mention; DELETE FROM popularity; DELETE FROM passage"

ADD_PASSAGES = "INSERT INTO passage SELECT id, title, entity, text FROM incoming_passage"

# A fact that one passage states by two ways of matching is one mention.
ADD_MENTIONS = """
INSERT INTO mention
SELECT DISTINCT m.passage, e.id, $extractor
FROM incoming_mention m
JOIN incoming_mention n ON n.passage = m.passage
JOIN current_edge e ON e.s = m.entity AND e.o = n.entity
ORDER BY m.passage, e.id
"""

COUNT_POPULARITY = """
INSERT INTO popularity
SELECT fact, count(DISTINCT passage) FROM mention GROUP BY fact ORDER BY fact
"""

CLEAR_BOUNDS = "DELETE FROM popularity_bounds"
ADD_BOUNDS = "INSERT INTO popularity_bounds VALUES (?, ?, ?)"

NAMES = """
SELECT id, label, aliases FROM entity WHERE label IS NOT NULL ORDER BY id
"""

PASSAGES = "SELECT id, title, entity, text FROM passage ORDER BY id"

SNAPSHOTS = "SELECT id, name, date, source, checksum FROM snapshot ORDER BY date"

COUNTS = """
SELECT 'entities' AS what, count(*) AS n FROM entity
UNION ALL SELECT 'properties', count(*) FROM property
UNION ALL SELECT 'facts', count(*) FROM fact
UNION ALL SELECT 'facts between entities', count(*) FROM fact WHERE o IS NOT NULL
UNION ALL SELECT 'passages', count(*) FROM passage
UNION ALL SELECT 'mentions', count(*) FROM mention
"""

FACTS_BY_SNAPSHOT = """
SELECT s.name, count(*) FROM fact_snapshot fs JOIN snapshot s ON s.id = fs.snapshot
GROUP BY s.name, s.date ORDER BY s.date
"""

FACTS_BY_RECENCY = "SELECT recency, count(*) FROM fact_recency GROUP BY recency ORDER BY recency"

FACTS_BY_POPULARITY = """
SELECT coalesce(label, 'between'), count(*) FROM fact_popularity GROUP BY 1 ORDER BY 1
"""

POPULARITY_HISTOGRAM = "SELECT count, count(*) FROM popularity GROUP BY count ORDER BY count"

TOP_PROPERTIES = """
SELECT p.id, p.label, count(*) AS n
FROM fact f LEFT JOIN property p ON p.id = f.p
GROUP BY p.id, p.label ORDER BY n DESC, p.id LIMIT ?
"""

CLASS_LABELS = """
SELECT e.id, coalesce(c.label, 'Q' || m.class)
FROM (SELECT id, unnest(classes) AS class FROM entity WHERE id IN (SELECT unnest(?))) m
JOIN entity e ON e.id = m.id
LEFT JOIN entity c ON c.id = m.class
ORDER BY 1, 2
"""
