"""The SQL of unanswerable and null questions. Values are bound; nothing is interpolated."""

# All facts, of every snapshot, of pairs of subject and property.
FACTS_OF_PAIRS = """
SELECT f.id, f.s, f.p, f.o, f.value, f.unit
FROM incoming_pair i JOIN fact f ON f.s = i.s AND f.p = i.p
ORDER BY f.id
"""

# All facts, of every snapshot, that lead from one entity to another.
FACTS_BETWEEN = """
SELECT f.s, f.p, f.o FROM incoming_pair i JOIN fact f ON f.s = i.s AND f.o = i.o
"""

# Which of the dates are stated of their subject by another property too, to any precision.
DATES_STATED_TWICE = """
SELECT DISTINCT i.s, i.p, i.value
FROM incoming_date i JOIN fact f ON f.s = i.s AND f.p <> i.p AND f.datatype = 'time'
WHERE starts_with(f.value, i.value) OR starts_with(i.value, f.value)
"""

# What is left of the store when some facts are withheld: the facts of every snapshot, as if all
# of them held today, of the properties that are asked for.
MAKE_REMAINING_FACTS = """
CREATE TEMP TABLE remaining_fact AS
SELECT * FROM fact
WHERE p IN (SELECT unnest($properties::BIGINT[]))
    AND id NOT IN (SELECT unnest($withheld::BIGINT[]))
"""

# Temporary views come before the store's own tables wherever those are named.
SHOW_REMAINING_FACTS = """
CREATE TEMP TABLE remaining_snapshot AS
SELECT r.id AS fact, n.id AS snapshot, NULL::TEXT AS end_time
FROM remaining_fact r, newest_snapshot n;
CREATE TEMP VIEW fact AS SELECT * FROM remaining_fact;
CREATE TEMP VIEW fact_snapshot AS SELECT * FROM remaining_snapshot;
CREATE TEMP VIEW current_edge AS SELECT id, s, p, o FROM remaining_fact WHERE o IS NOT NULL;
"""

# How many labelled entities each class has.
CLASS_SIZES = """
SELECT class, count(*) FROM (
    SELECT unnest(classes) AS class FROM entity WHERE label IS NOT NULL
) WHERE class IN (SELECT unnest(?::BIGINT[])) GROUP BY class
"""

# Labels of entities of a class, the first by id.
LABELS_OF_CLASS = """
SELECT label FROM entity WHERE label IS NOT NULL AND list_contains(classes, ?) ORDER BY id LIMIT ?
"""

# Which of the names some entity bears as its label or an alias, whatever case and accents.
NAMES_THAT_EXIST = """
SELECT name FROM incoming_name WHERE strip_accents(lower(name)) IN (
    SELECT strip_accents(lower(unnest([label] || aliases))) FROM entity
)
"""
