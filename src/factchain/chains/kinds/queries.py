"""The SQL of comparisons of two entities. Values are bound; nothing is interpolated.

They read the table that `mathematics.queries.MAKE_CURRENT_FACTS` makes. `main_class` is, of the
classes of an entity, the one that most entities have; 0 where it has none.
"""

MAKE_MAIN_CLASSES = """
CREATE OR REPLACE TEMP TABLE main_class AS
WITH classed AS (
    SELECT e.id, unnest(e.classes) AS class
    FROM entity e WHERE e.id IN (SELECT s FROM mathematics_fact)
),
size AS (SELECT class, count(*) AS n FROM classed GROUP BY class)
SELECT c.id, arg_max(c.class, row(s.n, -c.class)) AS class
FROM classed c JOIN size s USING (class)
GROUP BY c.id
"""

# Dates and exact quantities that are the only literal of their subject and property; `key` is
# shared by those that can be compared: one property, one unit or calendar, one class.
COMPARABLE_LITERALS = """
WITH own AS (
    SELECT fact, s, p, code, kind, datatype = 'time' AS is_date, year, size, precision
    FROM mathematics_fact
    WHERE o IS NULL
    QUALIFY count(*) OVER (PARTITION BY s, p) = 1
        AND usable AND size IS NOT NULL AND isfinite(size)
)
SELECT
    own.*, dense_rank() OVER (ORDER BY own.kind, coalesce(m.class, 0)) AS key
FROM own LEFT JOIN main_class m ON m.id = own.s
ORDER BY fact
"""

# Entities that are the only object of their subject and property, both with labels.
COMPARABLE_OBJECTS = """
WITH own AS (
    SELECT fact, s, p, o, code
    FROM mathematics_fact
    WHERE o IS NOT NULL
    QUALIFY count(*) OVER (PARTITION BY s, p) = 1 AND usable AND o_labelled AND s <> o
)
SELECT
    own.*,
    dense_rank() OVER (ORDER BY own.p, coalesce(m.class, 0)) AS key,
    dense_rank() OVER (ORDER BY own.p, coalesce(m.class, 0), own.o) AS same_key
FROM own LEFT JOIN main_class m ON m.id = own.s
ORDER BY fact
"""
