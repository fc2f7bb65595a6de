"""The SQL of the chain stage. Values are bound; nothing is interpolated."""

# How much an index of the facts between entities has to hold.
INDEX_SIZE = """
SELECT
    (SELECT count(*) FROM fact WHERE o IS NOT NULL),
    (SELECT coalesce(max(id), 0) FROM fact),
    (SELECT count(*) FROM entity WHERE label IS NOT NULL)
"""

# What an index is built from; another state of the store gives another row.
INDEXED_STATE = """
SELECT
    (SELECT list((name, date, checksum) ORDER BY date) FROM snapshot),
    (SELECT (count(*), max(id)) FROM fact),
    (SELECT count(*) FROM fact_snapshot),
    (SELECT (count(*), sum(count)) FROM popularity),
    (SELECT list(popularity_bounds) FROM popularity_bounds),
    (SELECT (count(*), count(label)) FROM entity)
"""

# In any order: the index sorts for itself, in less memory.
ENTITY_FACTS = "SELECT id, s, p, o FROM fact WHERE o IS NOT NULL"

NEWEST_FACTS = """
SELECT fact FROM fact_snapshot WHERE snapshot = (SELECT id FROM newest_snapshot)
"""

OLDEST_FACTS = """
SELECT fact FROM fact_snapshot WHERE snapshot = (SELECT id FROM oldest_snapshot)
"""

POPULARITY_CODES = """
SELECT fact, CASE label WHEN 'unpopular' THEN 0 ELSE 1 END
FROM fact_popularity WHERE label IS NOT NULL
"""

LABELLED_ENTITIES = "SELECT id FROM entity WHERE label IS NOT NULL"

ENTITY_LABELS = """
SELECT id, label FROM entity WHERE label IS NOT NULL AND id IN (SELECT unnest(?::BIGINT[]))
"""

PROPERTY_LABELS = "SELECT id, coalesce(label, 'P' || id) FROM property"

# What is said of some facts: how many passages state them, and their recency.
FACT_NOTES = """
SELECT a.fact, fp.count, fr.recency
FROM (SELECT unnest(?::BIGINT[]) AS fact) a
LEFT JOIN fact_popularity fp ON fp.fact = a.fact
LEFT JOIN fact_recency fr ON fr.fact = a.fact
"""

# Which of some facts had ended by the date of the newest snapshot. A year of five digits is no
# year of the past.
ENDED_FACTS = """
SELECT DISTINCT a.fact
FROM (SELECT unnest(?::BIGINT[]) AS fact) a
JOIN fact_snapshot fs ON fs.fact = a.fact
JOIN newest_snapshot n ON n.id = fs.snapshot
WHERE starts_with(fs.end_time, '-')
   OR (length(split_part(fs.end_time, '-', 1)) <= 4 AND fs.end_time <= n.date::TEXT)
"""

# Facts of the newest snapshot whose object is a date or a quantity.
LITERAL_FACTS = """
SELECT
    f.id AS fact, f.s, f.p, f.value, f.datatype, f.unit, f.precision, f.calendar, f.lower, f.upper,
    CASE fp.label WHEN 'unpopular' THEN 0 WHEN 'popular' THEN 1 ELSE -1 END AS popularity,
    CASE fr.recency WHEN 'old' THEN 0 WHEN 'new' THEN 1 ELSE -1 END AS recency
FROM fact f
JOIN fact_snapshot fs ON fs.fact = f.id
JOIN newest_snapshot n ON n.id = fs.snapshot
LEFT JOIN fact_popularity fp ON fp.fact = f.id
LEFT JOIN fact_recency fr ON fr.fact = f.id
WHERE f.o IS NULL AND f.datatype IN ('time', 'quantity')
ORDER BY f.s, f.p, f.id
"""

# What follows serves execution and checking: many questions at once, from incoming tables.

# All objects of subjects and properties in the newest snapshot, literals with all they hold.
OBJECTS_OF = """
SELECT
    f.s, f.p, f.id, f.o, f.value, f.datatype, f.unit, u.label, f.precision, f.calendar,
    f.lower, f.upper, fs.end_time
FROM incoming_pair pair
JOIN fact f ON f.s = pair.s AND f.p = pair.p
JOIN fact_snapshot fs ON fs.fact = f.id
JOIN newest_snapshot n ON n.id = fs.snapshot
LEFT JOIN entity u ON u.id = f.unit
ORDER BY f.id
"""

# How many subjects lead to an object by a property, and the first of those facts.
SUBJECTS_OF = """
SELECT e.p, e.o, count(*), list(e.id ORDER BY e.id)[:$most], list(e.s ORDER BY e.id)[:$most]
FROM incoming_pair pair
JOIN current_edge e ON e.p = pair.p AND e.o = pair.o
GROUP BY e.p, e.o
"""

# Which subjects any fact of any snapshot leads to which objects.
JOINED_BY_FACTS = """
SELECT DISTINCT f.s, f.o FROM incoming_pair pair JOIN fact f ON f.s = pair.s AND f.o = pair.o
"""

# Which facts of the newest snapshot meet a condition: (?, p, o), (?, p, literal) or (s, p, ?).
# A literal's `key` is a date's year or a number in its shortest form, so that it can be hashed.
MAKE_MEETINGS = """
CREATE OR REPLACE TEMP TABLE meeting AS
WITH current_literal AS (
    SELECT
        f.id, f.s, f.p, f.value, f.datatype, f.unit, f.precision, f.calendar,
        list_transform([f.value, f.lower, f.upper], lambda text:
            CASE WHEN contains(text, '.') THEN rtrim(rtrim(text, '0'), '.') ELSE text END
        ) AS numbers
    FROM fact f
    JOIN fact_snapshot fs ON fs.fact = f.id
    JOIN newest_snapshot n ON n.id = fs.snapshot
    WHERE f.p IN (SELECT p FROM incoming_condition WHERE form = 'literal')
),
keyed_literal AS (
    SELECT *, CASE WHEN datatype = 'time' THEN regexp_extract(value, '^-?[0-9]+')
                   ELSE numbers[1] END AS key
    FROM current_literal
    WHERE datatype = 'time'
       OR datatype = 'quantity' AND coalesce(numbers[2], numbers[1]) = numbers[1]
                                AND coalesce(numbers[3], numbers[1]) = numbers[1]
)
SELECT c.condition, e.s AS x, e.id AS fact
FROM incoming_condition c JOIN current_edge e ON e.p = c.p AND e.o = c.entity
WHERE c.form = 'subject'
UNION ALL
SELECT c.condition, e.o, e.id
FROM incoming_condition c JOIN current_edge e ON e.p = c.p AND e.s = c.entity
WHERE c.form = 'object'
UNION ALL
SELECT c.condition, l.s, l.id
FROM incoming_condition c
JOIN keyed_literal l ON l.p = c.p AND l.key = c.key AND l.datatype = c.datatype
WHERE c.form = 'literal'
  AND l.unit IS NOT DISTINCT FROM c.unit
  AND l.calendar IS NOT DISTINCT FROM c.calendar
  AND (l.datatype = 'quantity' OR l.precision >= c.precision
       AND (l.value = c.value OR starts_with(l.value, c.value || '-')))
"""

# How many entities meet each condition.
COUNT_MEETINGS = "SELECT condition, count(DISTINCT x) FROM meeting GROUP BY condition"

# The entities that meet all conditions of a task, with the facts that say so; `lead` marks the
# condition that the fewest meet, from which the others are looked up.
MEET_ALL = """
WITH candidate AS (
    SELECT DISTINCT t.task, m.x
    FROM incoming_task t JOIN meeting m ON m.condition = t.condition
    WHERE t.lead
)
SELECT c.task, c.x, list(m.fact ORDER BY m.fact)
FROM candidate c
JOIN incoming_task t ON t.task = c.task
JOIN meeting m ON m.condition = t.condition AND m.x = c.x
GROUP BY c.task, c.x
HAVING count(DISTINCT t.condition) = any_value(t.conditions)
ORDER BY c.task, c.x
"""

# How many entities meet all conditions of each task.
COUNT_MEETING_ALL = """
WITH candidate AS (
    SELECT DISTINCT t.task, m.x
    FROM incoming_task t JOIN meeting m ON m.condition = t.condition
    WHERE t.lead
),
met AS (
    SELECT c.task, c.x
    FROM candidate c
    JOIN incoming_task t ON t.task = c.task
    JOIN meeting m ON m.condition = t.condition AND m.x = c.x
    GROUP BY c.task, c.x
    HAVING count(DISTINCT t.condition) = any_value(t.conditions)
)
SELECT task, count(*) FROM met GROUP BY task
"""

# Topics with their label, and how many others bear it: in all, and with the same description.
NAMESAKES = """
SELECT
    t.id, t.label, coalesce(t.description, ''), count(h.id),
    count(h.id) FILTER (WHERE coalesce(h.description, '') = coalesce(t.description, ''))
FROM incoming_topic w
JOIN entity t ON t.id = w.id
LEFT JOIN entity h ON lower(h.label) = lower(t.label) AND h.id <> t.id
GROUP BY t.id, t.label, t.description
"""

# Facts whose classes fit their property the other way round: see `fact_checks.contrary`.
CONTRARY_FACTS = """
WITH typed AS (
    SELECT e.id, e.s, e.p, e.o, a.class AS subject_class, b.class AS object_class
    FROM current_edge e
    JOIN entity s ON s.id = e.s
    JOIN entity o ON o.id = e.o,
    unnest(s.classes) AS a(class), unnest(o.classes) AS b(class)
    WHERE e.p IN (SELECT p FROM incoming_fact)
),
facts AS (SELECT p, count(DISTINCT id) AS n FROM typed GROUP BY p),
fit AS (
    SELECT p, subject_class, object_class, count(DISTINCT id) AS n
    FROM typed GROUP BY ALL
),
asked AS (
    SELECT t.* FROM typed t
    JOIN incoming_fact i ON i.s = t.s AND i.p = t.p AND i.o = t.o
)
SELECT a.s, a.p, a.o
FROM asked a
JOIN facts f ON f.p = a.p
JOIN fit own
    ON own.p = a.p AND own.subject_class = a.subject_class AND own.object_class = a.object_class
LEFT JOIN fit turned
    ON turned.p = a.p AND turned.subject_class = a.object_class
   AND turned.object_class = a.subject_class
WHERE f.n >= $least_facts
GROUP BY a.s, a.p, a.o, f.n
HAVING max(own.n) - 1 <= $own_share * f.n
   AND max(coalesce(turned.n, 0)) >= $turned_share * f.n
"""

# The classes of entities.
ENTITY_CLASSES = """
SELECT id, unnest(classes) AS class FROM entity
WHERE id IN (SELECT entity FROM incoming_wanted)
ORDER BY ALL
"""

# Which entities a property leads to from entities.
LED_TO = """
SELECT s, o FROM current_edge
WHERE p = ? AND s IN (SELECT entity FROM incoming_wanted)
ORDER BY ALL
"""

UNKNOWN_ENTITIES = "SELECT id FROM incoming_entity WHERE id NOT IN (SELECT id FROM entity)"

# What the names of incoming triples stand for: labels and aliases, whatever their case.
MAKE_NAMED = """
CREATE OR REPLACE TEMP TABLE named AS
WITH wanted AS (
    SELECT s AS name FROM incoming_triple
    UNION SELECT p FROM incoming_triple
    UNION SELECT o FROM incoming_triple
),
called AS (
    SELECT 'Q' AS kind, id, lower(unnest([label] || aliases)) AS name FROM entity
    UNION ALL
    SELECT 'P', id, lower(unnest([label] || aliases)) FROM property
)
SELECT DISTINCT kind, name, id FROM called WHERE name IN (SELECT name FROM wanted)
"""

NAMED = "SELECT kind, name, id FROM named"

# The facts of any snapshot that a triple of names can mean.
NAMED_FACTS = """
SELECT DISTINCT t.triple, f.s, f.p, f.o
FROM incoming_triple t
JOIN named a ON a.kind = 'Q' AND a.name = t.s
JOIN named b ON b.kind = 'P' AND b.name = t.p
JOIN named c ON c.kind = 'Q' AND c.name = t.o
JOIN fact f ON f.s = a.id AND f.p = b.id AND f.o = c.id
"""

LABELS_OF = "SELECT id, label FROM entity WHERE id IN (SELECT id FROM incoming_entity)"
