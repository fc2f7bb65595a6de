"""The SQL of the options: many hops at once, from incoming tables; nothing is interpolated."""

# The facts of the properties that siblings are looked for under: `x` stands where the answer
# does, `other` on the other side.
MAKE_MEMBERS = """
CREATE OR REPLACE TEMP TABLE option_member AS
WITH current_fact AS (
    SELECT f.id, f.s, f.p, f.o
    FROM fact f
    JOIN fact_snapshot fs ON fs.fact = f.id
    JOIN newest_snapshot n ON n.id = fs.snapshot
    WHERE f.p IN (SELECT p FROM incoming_pool)
)
SELECT p, true AS is_object, o AS x, s AS other, id AS fact
FROM current_fact
WHERE o IS NOT NULL AND p IN (SELECT p FROM incoming_pool WHERE is_object)
UNION ALL
SELECT p, false, s, o, id
FROM current_fact
WHERE p IN (SELECT p FROM incoming_pool WHERE NOT is_object)
"""

# The classes of entities that have a name; of those that have none, 0 stands for their class.
MAKE_CLASSES = """
CREATE OR REPLACE TEMP TABLE option_class AS
SELECT id, unnest(CASE WHEN len(classes) = 0 THEN [0] ELSE classes END) AS class
FROM entity
WHERE label IS NOT NULL
"""

CLASSES_OF = """
SELECT id, list(class ORDER BY class) FROM option_class
WHERE id IN (SELECT id FROM incoming_entity) GROUP BY id ORDER BY id
"""

OCCUPATIONS_OF = """
SELECT s, list(o ORDER BY o) FROM current_edge
WHERE p = ? AND s IN (SELECT id FROM incoming_entity) GROUP BY s ORDER BY s
"""

# Entities of classes: of large ones some, spread.
CLASSMATES = """
SELECT class, id FROM option_class
WHERE class IN (SELECT id FROM incoming_entity)
QUALIFY row_number() OVER (PARTITION BY class ORDER BY (id * 7919) % 1000003, id) <= $most
ORDER BY class, id
"""

# The entities of each pool, with the first fact that puts them there: of one class, under one
# property; where `other_class` is said, the entity on the other side is of that class. Of pools
# with very many facts a part is taken, spread evenly over the ids.
POOLS = """
WITH joined AS MATERIALIZED (
    SELECT w.pool, m.x, m.fact
    FROM incoming_pool w
    JOIN option_member m ON m.p = w.p AND m.is_object = w.is_object
    JOIN option_class c ON c.id = m.x AND c.class = w.class
    JOIN option_class b ON b.id = m.other AND b.class = w.other_class
    UNION ALL
    SELECT w.pool, m.x, m.fact
    FROM incoming_pool w
    JOIN option_member m ON m.p = w.p AND m.is_object = w.is_object
    JOIN option_class c ON c.id = m.x AND c.class = w.class
    WHERE w.other_class IS NULL
),
entities AS (
    SELECT pool, approx_count_distinct(x) AS n FROM joined GROUP BY pool
)
SELECT j.pool, j.x, min(j.fact) AS fact
FROM joined j
JOIN entities e ON e.pool = j.pool
WHERE e.n <= $most OR (j.x * 7919) % 1000003 < 1000003.0 * $most / e.n
GROUP BY j.pool, j.x
ORDER BY j.pool, j.x
"""

# How well known entities are, and the year in which they began: passages that mention them, or
# facts that lead to them where no mentions were extracted.
STANDING = """
WITH wanted AS (SELECT DISTINCT id FROM incoming_entity),
led_to AS (
    SELECT e.o AS id, count(*) AS n FROM current_edge e SEMI JOIN wanted w ON w.id = e.o GROUP BY 1
),
began AS (
    SELECT f.s AS id, arg_min(
        TRY_CAST(regexp_extract(f.value, '^-?[0-9]+') AS INTEGER), (d.rank, f.id)
    ) AS year
    FROM fact f
    JOIN incoming_dating d ON d.p = f.p
    SEMI JOIN wanted w ON w.id = f.s
    WHERE f.datatype = 'time' AND f.precision >= 9
    GROUP BY 1
)
SELECT
    w.id,
    CASE WHEN EXISTS (FROM entity_popularity) THEN coalesce(ep.count, 0) ELSE coalesce(l.n, 0) END
        AS popularity,
    b.year
FROM wanted w
LEFT JOIN entity_popularity ep ON ep.entity = w.id
LEFT JOIN led_to l ON l.id = w.id
LEFT JOIN began b ON b.id = w.id
ORDER BY w.id
"""

# How many of its conditions each candidate meets by a fact of any snapshot.
CONDITIONS_MET = """
SELECT t.slot, t.x, count(DISTINCT t.condition)
FROM incoming_triple t
SEMI JOIN fact f ON f.s = t.s AND f.p = t.p AND f.o = t.o
GROUP BY t.slot, t.x
"""

# Entities of the right class that meet one condition of an intersection: some of them, spread.
NEIGHBOURS = """
WITH met AS (
    SELECT c.slot, m.x, min(m.fact) AS fact
    FROM incoming_condition c
    JOIN option_member m
        ON m.p = c.p AND m.is_object = c.is_object AND m.other = c.entity
    GROUP BY c.slot, m.x
),
fit AS (
    SELECT DISTINCT met.slot, met.x, met.fact
    FROM met
    JOIN option_class k ON k.id = met.x
    SEMI JOIN incoming_wanted_class w ON w.slot = met.slot AND w.class = k.class
)
SELECT slot, x, fact FROM fit
QUALIFY row_number() OVER (
    PARTITION BY slot ORDER BY (x * 7919 + slot * 104729) % 1000003, x
) <= $most
ORDER BY slot, x
"""

# What the entities are part of, step by step, by the properties that say so.
MAKE_HOLDERS = """
CREATE OR REPLACE TEMP TABLE option_holder AS
SELECT DISTINCT e.s AS part, e.o AS whole
FROM current_edge e JOIN incoming_part p ON p.p = e.p AND p.forward
UNION
SELECT DISTINCT e.o, e.s
FROM current_edge e JOIN incoming_part p ON p.p = e.p AND NOT p.forward
"""

HELD_BY = """
WITH RECURSIVE held AS (
    SELECT DISTINCT id AS entity, id AS whole, 0 AS steps FROM incoming_entity
    UNION
    SELECT held.entity, h.whole, held.steps + 1
    FROM held JOIN option_holder h ON h.part = held.whole
    WHERE held.steps < $most
)
SELECT DISTINCT t.slot, t.x
FROM incoming_pair t
JOIN held a ON a.entity = t.x AND a.whole = t.gold
UNION
SELECT DISTINCT t.slot, t.x
FROM incoming_pair t
JOIN held a ON a.entity = t.gold AND a.whole = t.x
"""

# Label, aliases and the fact that is the evidence, in ids.
NAMES = """
SELECT id, label, aliases FROM entity
WHERE label IS NOT NULL AND id IN (SELECT id FROM incoming_entity)
ORDER BY id
"""

FACTS = """
SELECT f.id, f.s, f.p, f.o, f.value FROM fact f
WHERE f.id IN (SELECT id FROM incoming_entity)
"""

# The distinct values of properties, with a number that orders them.
VALUES = """
WITH current_value AS (
    SELECT
        f.p, f.value, f.datatype, f.unit, f.precision, f.calendar, f.id,
        CASE f.datatype
            WHEN 'quantity' THEN TRY_CAST(f.value AS DOUBLE)
            ELSE 400.0 * TRY_CAST(regexp_extract(f.value, '^(-?[0-9]+)', 1) AS INTEGER)
                + 32 * coalesce(TRY_CAST(
                    regexp_extract(f.value, '^-?[0-9]+-([0-9]{2})', 1) AS INTEGER), 0)
                + coalesce(TRY_CAST(
                    regexp_extract(f.value, '^-?[0-9]+-[0-9]{2}-([0-9]{2})', 1) AS INTEGER), 0)
        END AS place
    FROM fact f
    JOIN fact_snapshot fs ON fs.fact = f.id
    JOIN newest_snapshot n ON n.id = fs.snapshot
    WHERE f.p IN (SELECT p FROM incoming_property)
      AND f.datatype IN ('time', 'quantity')
      AND coalesce(f.lower, f.value) = f.value AND coalesce(f.upper, f.value) = f.value
)
SELECT
    p, datatype, unit, precision, calendar, value, place, min(v.id) AS fact
FROM current_value v
WHERE place IS NOT NULL
GROUP BY ALL
ORDER BY p, place, value
"""

# All values of subjects and properties in any snapshot.
VALUES_OF = """
SELECT DISTINCT a.slot, f.value, f.datatype, f.unit, NULL, f.precision, f.calendar, f.lower, f.upper
FROM incoming_asked a
JOIN fact f ON f.s = a.s AND f.p = a.p
WHERE f.o IS NULL AND f.datatype IN ('time', 'quantity')
ORDER BY ALL
"""
