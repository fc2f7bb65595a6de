"""The SQL of `kg.stats` that no other stage needs. Values are bound; nothing is interpolated."""

FACTS_BY_SNAPSHOT = """
SELECT s.name, coalesce(n.facts, 0)
FROM snapshot s
LEFT JOIN (SELECT snapshot, count(*) AS facts FROM fact_snapshot GROUP BY snapshot) n
  ON n.snapshot = s.id
ORDER BY s.date
"""

# Entities by how many facts of the newest snapshot join them to other entities; 0 included.
OUT_DEGREES = """
SELECT coalesce(d.degree, 0), count(*)
FROM entity e
FULL JOIN (SELECT s AS id, count(*) AS degree FROM current_edge GROUP BY s) d ON d.id = e.id
GROUP BY 1
ORDER BY 1
"""

IN_DEGREES = """
SELECT coalesce(d.degree, 0), count(*)
FROM entity e
FULL JOIN (SELECT o AS id, count(*) AS degree FROM current_edge GROUP BY o) d ON d.id = e.id
GROUP BY 1
ORDER BY 1
"""

# Of the newest snapshot; `single` counts subjects that have exactly one object.
PROPERTIES = """
SELECT 'P' || n.p, p.label, n.facts, n.subjects, n.single
FROM (
    SELECT
        p,
        sum(objects)::BIGINT AS facts,
        count(*) AS subjects,
        count(*) FILTER (objects = 1) AS single
    FROM (
        SELECT f.p, f.s, count(*) AS objects
        FROM fact f
        JOIN fact_snapshot fs ON fs.fact = f.id
        JOIN newest_snapshot newest ON newest.id = fs.snapshot
        GROUP BY f.p, f.s
    )
    GROUP BY p
) n
LEFT JOIN property p ON p.id = n.p
ORDER BY n.facts DESC, n.p
"""

# Entities that the text mentions, by how many passages (or what else was counted) mention them.
ENTITY_POPULARITY = "SELECT count, count(*) FROM entity_popularity GROUP BY count ORDER BY count"

POPULARITY_UNIT = "SELECT unit FROM popularity_unit"

COVERAGE = """
SELECT
    count(*),
    count(label),
    count(description),
    count(*) FILTER (len(aliases) > 0),
    count(*) FILTER (len(classes) > 0),
    count(wikipedia)
FROM entity
"""

# What facts of the newest snapshot name, and no dump has described.
UNDESCRIBED = """
SELECT count(*) FROM (SELECT DISTINCT o FROM current_edge) ANTI JOIN entity ON entity.id = o
"""

LABELLED_PROPERTIES = "SELECT count(label) FROM property"

CLASSES = """
SELECT 'Q' || n.class, c.label, n.entities
FROM (
    SELECT class, count(*) AS entities
    FROM (SELECT unnest(classes) AS class FROM entity)
    GROUP BY class
) n
LEFT JOIN entity c ON c.id = n.class
ORDER BY n.entities DESC, n.class
"""

TABLES = """
SELECT table_name FROM duckdb_tables()
WHERE database_name = current_database() AND NOT temporary
ORDER BY table_name
"""

TABLE_BLOCKS = """
SELECT count(DISTINCT block_id) FROM pragma_storage_info(?) WHERE persistent AND block_id >= 0
"""

BLOCK_SIZE = (
    "SELECT block_size FROM pragma_database_size() WHERE database_name = current_database()"
)

MEMORY = "SELECT sum(memory_usage_bytes)::BIGINT FROM duckdb_memory()"
"""What DuckDB holds in memory now."""
