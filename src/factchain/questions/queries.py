"""The SQL of the question stage. Values are bound; nothing is interpolated."""

NAMES = """
SELECT id, label, description, aliases, classes, wikipedia FROM entity
WHERE label IS NOT NULL AND id IN (SELECT unnest(?)) ORDER BY id
"""

HOMONYMS = """
SELECT lower(label) FROM entity WHERE label IS NOT NULL GROUP BY 1 HAVING count(*) > 1
"""
