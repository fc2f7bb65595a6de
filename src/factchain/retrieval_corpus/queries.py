"""The SQL of the stage, on the store of `kg/schema.sql`."""

from __future__ import annotations

# A label that shows at least one character; labels are untrusted.
_NAMED = r"""
named AS (
    SELECT id, label FROM entity WHERE regexp_matches(label, '[^\s\p{Z}\p{C}]')
)"""

# Facts of the oldest and of the newest snapshot.
_HELD = """
held AS (
    SELECT
        fs.fact,
        o.id AS oldest,
        n.id AS newest,
        bool_or(fs.snapshot = o.id) AS in_oldest,
        bool_or(fs.snapshot = n.id) AS in_newest
    FROM fact_snapshot fs, oldest_snapshot o, newest_snapshot n
    WHERE fs.snapshot IN (o.id, n.id)
    GROUP BY fs.fact, o.id, n.id
)"""

# One row a fact and version of its subject. The versions of a subject and property conflict
# where the later lost a fact, or gained one beside or instead of those it had.
STATED_FACTS = f"""
WITH {_NAMED}, {_HELD},
compared AS (
    SELECT
        f.*, h.oldest, h.newest, h.in_oldest, h.in_newest,
        bool_or(h.in_oldest) OVER versions
            AND NOT bool_and(h.in_oldest AND h.in_newest) OVER versions AS conflict
    FROM fact f
    JOIN held h ON h.fact = f.id
    WINDOW versions AS (PARTITION BY f.s, f.p)
),
stated AS (
    SELECT *, unnest(CASE
        WHEN NOT conflict THEN [NULL]
        WHEN in_oldest AND in_newest THEN [oldest, newest]
        WHEN in_oldest THEN [oldest]
        ELSE [newest]
    END) AS version
    FROM compared
)
SELECT
    f.s, s.label AS subject, v.name AS snapshot,
    f.p, p.label AS property,
    f.o, o.label AS object,
    f.value, f.datatype, u.label AS unit_label, f.unit, f.precision
FROM stated f
JOIN named s ON s.id = f.s
LEFT JOIN property p ON p.id = f.p
LEFT JOIN named o ON o.id = f.o
LEFT JOIN named u ON u.id = f.unit
LEFT JOIN snapshot v ON v.id = f.version
ORDER BY f.s, v.date NULLS FIRST, f.p, f.o NULLS LAST, f.value, f.unit, f.precision, f.datatype
"""

# Entities that are linearized, that have no label, and that have a label but no fact.
COUNT_ENTITIES = f"""
WITH {_NAMED}, {_HELD},
subject AS (SELECT DISTINCT f.s AS id FROM fact f JOIN held h ON h.fact = f.id)
SELECT
    count(*) FILTER (named.id IS NOT NULL AND subject.id IS NOT NULL),
    count(*) FILTER (named.id IS NULL),
    count(*) FILTER (named.id IS NOT NULL AND subject.id IS NULL)
FROM (SELECT id FROM entity UNION SELECT id FROM subject) every
LEFT JOIN named ON named.id = every.id
LEFT JOIN subject ON subject.id = every.id
"""
