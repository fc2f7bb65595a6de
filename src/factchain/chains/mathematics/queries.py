"""The SQL of mathematics hops. Values are bound; nothing is interpolated."""

# Facts of the newest snapshot with what mathematics hops ask of them. `code` is the position of
# the fact's label on the axis, -1 where it has none; `year` counts a year 0 (1 BC).
MAKE_CURRENT_FACTS = """
CREATE OR REPLACE TEMP TABLE mathematics_fact AS
SELECT
    f.id AS fact, f.s, f.p, f.o, f.datatype, f.precision,
    CASE $axis
        WHEN 'none' THEN 0
        WHEN 'popularity' THEN
            CASE fp.label WHEN 'unpopular' THEN 0 WHEN 'popular' THEN 1 ELSE -1 END
        ELSE CASE fr.recency WHEN 'old' THEN 0 WHEN 'new' THEN 1 ELSE -1 END
    END AS code,
    s.label IS NOT NULL AND NOT list_contains($excluded, f.p) AS usable,
    o.label IS NOT NULL AS o_labelled,
    f.calendar IS NULL OR f.calendar = 1985727 AS gregorian,
    (f.p::BIGINT << 32) | coalesce(f.unit, f.calendar, 0) AS kind,
    CASE WHEN f.datatype = 'time' THEN
        CASE WHEN f.value LIKE '-%' THEN 1 - d.year ELSE d.year END
    END AS year,
    CASE
        WHEN f.datatype = 'time' AND f.precision >= 9 THEN
            (CASE WHEN f.value LIKE '-%' THEN 1 - d.year ELSE d.year END) * 512.0
            + coalesce(d.month, 0) * 32 + coalesce(d.day, 0)
        WHEN f.datatype = 'quantity' AND coalesce(f.lower, f.value) = coalesce(f.upper, f.value)
            THEN try_cast(f.value AS DOUBLE)
    END AS size
FROM fact f
JOIN fact_snapshot fs ON fs.fact = f.id
JOIN newest_snapshot n ON n.id = fs.snapshot
LEFT JOIN entity s ON s.id = f.s
LEFT JOIN entity o ON o.id = f.o
LEFT JOIN fact_popularity fp ON fp.fact = f.id AND $axis = 'popularity'
LEFT JOIN fact_recency fr ON fr.fact = f.id AND $axis = 'recency'
CROSS JOIN LATERAL (
    SELECT
        try_cast(regexp_extract(f.value, '^-?([0-9]{1,6})(-|$)', 1) AS BIGINT) AS year,
        try_cast(regexp_extract(f.value, '^-?[0-9]+-([0-9]{2})', 1) AS BIGINT) AS month,
        try_cast(regexp_extract(f.value, '^-?[0-9]+-[0-9]{2}-([0-9]{2})', 1) AS BIGINT) AS day
) d
WHERE f.o IS NOT NULL OR f.datatype IN ('time', 'quantity')
"""

# Dates and exact quantities that are the only literal of their subject and property.
LITERALS = """
SELECT fact, s, p, code, kind, datatype = 'time' AS is_date, gregorian, year, size, precision
FROM mathematics_fact
WHERE o IS NULL
QUALIFY count(*) OVER (PARTITION BY s, p) = 1 AND usable AND size IS NOT NULL AND isfinite(size)
ORDER BY fact
"""

# Several facts of one subject and property (form 0) or, where subjects are to be counted too, of
# one object and property (form 1).
COUNTS = """
SELECT s AS entity, p, count(*) AS n, 0 AS form, min(code) AS lowest, max(code) AS highest
FROM mathematics_fact WHERE o IS NOT NULL
GROUP BY s, p HAVING count(*) BETWEEN 2 AND $most AND bool_and(usable AND o_labelled)
UNION ALL
SELECT o, p, count(*), 1, min(code), max(code)
FROM mathematics_fact WHERE o IS NOT NULL AND $subjects
GROUP BY o, p HAVING count(*) BETWEEN 2 AND $most AND bool_and(usable AND o_labelled)
ORDER BY ALL
"""

# Which one entity has a date of property p in a year, and leads by q to c; several entities have
# such a date, and several lead there.
CONDITIONS = """
WITH dated AS (
    SELECT fact, s, p, year, code, usable FROM mathematics_fact
    WHERE datatype = 'time' AND precision >= 9 AND gregorian AND year IS NOT NULL
),
edge AS (
    SELECT fact, s, p, o, code, usable AND o_labelled AS usable
    FROM mathematics_fact WHERE o IS NOT NULL
),
several_in_year AS (
    SELECT p, year FROM dated GROUP BY p, year HAVING count(DISTINCT s) > 1
),
several_of_object AS (
    SELECT p, o FROM edge GROUP BY p, o HAVING count(DISTINCT s) > 1
)
SELECT
    any_value(d.s) AS e, d.p, d.year, any_value(d.fact) AS date_fact,
    edge.p AS q, edge.o AS c, any_value(edge.fact) AS edge_fact,
    any_value(d.code) AS date_code, any_value(edge.code) AS edge_code
FROM dated d
JOIN several_in_year USING (p, year)
JOIN edge ON edge.s = d.s
JOIN several_of_object m ON m.p = edge.p AND m.o = edge.o
GROUP BY d.p, d.year, edge.p, edge.o
HAVING count(*) = 1 AND bool_and(d.usable AND edge.usable)
ORDER BY date_fact, edge_fact
"""

# All objects of a subject and property, where each has one literal of one kind.
CHOICES = """
WITH edge AS (
    SELECT s, p, o, code, usable AND o_labelled AS usable, count(*) OVER (PARTITION BY s, p) AS n
    FROM mathematics_fact WHERE o IS NOT NULL
),
literal AS (
    SELECT s, p, kind, datatype, size, code FROM mathematics_fact
    WHERE o IS NULL
    QUALIFY count(*) OVER (PARTITION BY s, p) = 1 AND usable AND size IS NOT NULL
        AND isfinite(size)
)
SELECT
    edge.s AS a, edge.p, l.p AS q, any_value(l.datatype) = 'time' AS is_date, count(*) AS n,
    arg_min(edge.o, row(l.size, edge.o)) AS least,
    arg_max(edge.o, row(l.size, edge.o)) AS greatest,
    min(least(edge.code, l.code)) AS lowest, max(greatest(edge.code, l.code)) AS highest
FROM edge JOIN literal l ON l.s = edge.o
WHERE edge.n BETWEEN 2 AND $most
GROUP BY edge.s, edge.p, l.p, l.kind
HAVING count(*) = any_value(edge.n) AND bool_and(edge.usable)
ORDER BY a, edge.p, q, l.kind
"""

# The facts of chosen groups: of one subject (form 0) or one object (form 1) and property.
GROUP_FACTS = """
SELECT g.entity, g.p, g.form, f.fact, f.s, f.o
FROM incoming_group g
JOIN mathematics_fact f ON f.p = g.p AND f.o IS NOT NULL
    AND g.entity = CASE g.form WHEN 0 THEN f.s ELSE f.o END
ORDER BY ALL
"""

# Literal facts by id, with the label of their unit.
LITERALS_OF_FACTS = """
SELECT f.id, f.s, f.p, f.value, f.datatype, f.unit, u.label, f.precision, f.calendar, f.lower,
    f.upper
FROM fact f LEFT JOIN entity u ON u.id = f.unit
WHERE f.id IN (SELECT fact FROM incoming_wanted)
"""
