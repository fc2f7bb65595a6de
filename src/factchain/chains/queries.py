"""The SQL of the chain stage. Values are bound; nothing is interpolated."""

# Facts between labelled entities that hold in the newest snapshot, with their classes.
CURRENT_EDGES = """
SELECT e.id, e.s, e.p, e.o, fp.count AS popularity, fp.label AS popularity_label, fr.recency
FROM current_edge e
LEFT JOIN fact_popularity fp ON fp.fact = e.id
LEFT JOIN fact_recency fr ON fr.fact = e.id
ORDER BY e.s, e.p, e.o
"""

# Which entities any fact of any snapshot joins.
JOINED_PAIRS = "SELECT DISTINCT s, o FROM fact WHERE o IS NOT NULL"

ENTITY_LABELS = "SELECT id, label FROM entity WHERE label IS NOT NULL"

PROPERTY_LABELS = "SELECT id, coalesce(label, 'P' || id) FROM property"

# The objects that a property leads to from an entity, for many chains at once.
TAKE_STEPS = """
SELECT step.chain, e.o
FROM incoming_step step JOIN current_edge e ON e.s = step.s AND e.p = step.p
"""
