"""The SQL of the question stage. Values are bound; nothing is interpolated."""

NAMES = """
WITH wanted AS (
    SELECT * FROM entity WHERE label IS NOT NULL AND id IN (SELECT unnest(?))
),
called AS (
    SELECT w.id, list(c.label ORDER BY c.id) AS labels
    FROM (SELECT id, unnest(classes) AS class FROM wanted) w
    JOIN entity c ON c.id = w.class
    WHERE c.label IS NOT NULL
    GROUP BY w.id
)
SELECT
    w.id, w.label, w.description, w.aliases, w.classes, w.wikipedia,
    coalesce(called.labels, [])
FROM wanted w LEFT JOIN called ON called.id = w.id
ORDER BY w.id
"""

HOMONYMS = """
SELECT lower(label) FROM entity WHERE label IS NOT NULL GROUP BY 1 HAVING count(*) > 1
"""

PROPERTY_NAMES = """
SELECT id, coalesce(label, 'P' || id), aliases FROM property
WHERE id IN (SELECT unnest(?)) ORDER BY id
"""

PROPERTY_MEANINGS = """
SELECT id, description FROM property
WHERE id IN (SELECT unnest(?)) AND coalesce(description, '') <> '' ORDER BY id
"""

UNLABELLED = """
SELECT id FROM property WHERE id IN (SELECT unnest(?)) AND label IS NULL ORDER BY id
"""

ENTITIES_NAMED = """
SELECT DISTINCT lower(name), id
FROM (SELECT id, unnest(list_append(aliases, label)) AS name FROM entity)
WHERE lower(name) IN (SELECT unnest(?::TEXT[]))
ORDER BY ALL
"""
