"""The SQL of version diffs. Values are bound; nothing is interpolated.

Fact ids are dense, so a snapshot is a bitmap over them: half a MiB for each 2^22 facts, and
membership is a bit. Of two snapshots of 10 million facts that tells what became of each fact in
half the time of a full outer join of their ids (benchmarks/diff.py).

Ids fit 31 bits: a subject and property are one 64-bit `pair`, which is hashed in one go.
"""

# Bit i of part j stands for the fact j * 2^22 + i; a part without a snapshot's facts is all zeros.
HELD = """
CREATE TEMP TABLE diff_held AS
SELECT
    fact >> 22 AS part,
    coalesce(
        bitstring_agg(fact & 4194303, 0, 4194303) FILTER (snapshot = $older),
        repeat('0', 4194304)::BIT
    ) AS older,
    coalesce(
        bitstring_agg(fact & 4194303, 0, 4194303) FILTER (snapshot = $newer),
        repeat('0', 4194304)::BIT
    ) AS newer
FROM fact_snapshot
WHERE snapshot IN ($older, $newer)
GROUP BY part
"""

# Facts of either snapshot; `held` is 1 in the older only, 2 in the newer only, 3 in both.
STATE = """
CREATE TEMP TABLE diff_state AS
SELECT pair, held
FROM (
    SELECT
        f.s << 31 | f.p AS pair,
        get_bit(h.older, (f.id & 4194303)::INTEGER)::UTINYINT
            + 2 * get_bit(h.newer, (f.id & 4194303)::INTEGER)::UTINYINT AS held
    FROM fact f
    JOIN diff_held h ON h.part = f.id >> 22
)
WHERE held > 0
"""

# Subjects and properties whose objects are not the same in both.
CHANGED = """
CREATE TEMP TABLE diff_changed AS
SELECT
    pair,
    count(*) FILTER (held = 3) AS old,
    count(*) FILTER (held = 1) AS gone,
    count(*) FILTER (held = 2) AS new
FROM diff_state
SEMI JOIN (SELECT pair FROM diff_state WHERE held <> 3) USING (pair)
GROUP BY pair
"""

# Which part of the new facts of a subject and property is new, and whether the snapshots conflict.
PAIR = """
CREATE TEMP TABLE diff_pair AS
WITH known AS MATERIALIZED (
    SELECT DISTINCT pair >> 31 AS s
    FROM diff_state
    WHERE held <> 2 AND pair >> 31 IN (SELECT pair >> 31 FROM diff_changed WHERE old + gone = 0)
)
SELECT
    pair >> 31 AS s,
    (pair & 2147483647)::INTEGER AS p,
    new,
    CASE
        WHEN old + gone > 0 THEN 'object'
        WHEN pair >> 31 IN (SELECT s FROM known) THEN 'property'
        ELSE 'subject'
    END AS kind,
    old + gone > 0 AND old + new > 0 AS conflict
FROM diff_changed
"""

FORGET = """
DROP TABLE IF EXISTS diff_pair;
DROP TABLE IF EXISTS diff_changed;
DROP TABLE IF EXISTS diff_state;
DROP TABLE IF EXISTS diff_held
"""

BY_PROPERTY = """
SELECT
    'P' || t.p,
    p.label,
    t.old,
    coalesce(c.new_subject, 0),
    coalesce(c.new_property, 0),
    coalesce(c.new_object, 0),
    t.gone,
    coalesce(c.conflicts, 0)
FROM (
    SELECT
        (pair & 2147483647)::INTEGER AS p,
        count(*) FILTER (held = 3) AS old,
        count(*) FILTER (held = 2) AS new,
        count(*) FILTER (held = 1) AS gone
    FROM diff_state
    GROUP BY 1
) t
LEFT JOIN (
    SELECT
        p,
        (sum(new) FILTER (kind = 'subject'))::BIGINT AS new_subject,
        (sum(new) FILTER (kind = 'property'))::BIGINT AS new_property,
        (sum(new) FILTER (kind = 'object'))::BIGINT AS new_object,
        count(*) FILTER (conflict) AS conflicts
    FROM diff_pair
    GROUP BY p
) c ON c.p = t.p
LEFT JOIN property p ON p.id = t.p
ORDER BY t.new + t.gone DESC, t.p
"""

# A fact as text: ids as in files, an object either as an entity or as a typed literal.
_TRIPLE = """
    'Q' || f.s AS s,
    subject.label AS s_label,
    'P' || f.p AS p,
    property.label AS p_label,
    'Q' || f.o AS o,
    object.label AS o_label,
    f.value,
    f.datatype,
    'Q' || f.unit AS unit,
    f.precision,
    'Q' || f.calendar AS calendar,
    f.lower,
    f.upper
"""

_LABELS = """
LEFT JOIN entity subject ON subject.id = f.s
LEFT JOIN property ON property.id = f.p
LEFT JOIN entity object ON object.id = f.o
"""

_ORDER = "ORDER BY f.s, f.p, f.o, f.id"

FACTS = (
    """
SELECT
    f.change,
    CASE WHEN f.change = 'new' THEN pair.kind END AS kind,
    coalesce(pair.conflict, FALSE) AS conflict,
"""
    + _TRIPLE
    + """
FROM (
    SELECT
        fact.*,
        [NULL, 'gone', 'new', 'old'][
            1 + get_bit(h.older, (id & 4194303)::INTEGER)
            + 2 * get_bit(h.newer, (id & 4194303)::INTEGER)
        ] AS change
    FROM fact
    JOIN diff_held h ON h.part = id >> 22
) f
LEFT JOIN diff_pair pair ON pair.s = f.s AND pair.p = f.p
"""
    + _LABELS
    + """
WHERE f.change IN (SELECT unnest($changes)) AND (pair.conflict OR NOT $only_conflicts)
"""
    + _ORDER
)

# Over a series of snapshots, bit i of `seen` stands for the i-th of them.
SEEN = """
CREATE TEMP TABLE diff_seen AS
SELECT fact, bit_or(1::BIGINT << (list_position($snapshots, snapshot) - 1)::INTEGER) AS seen
FROM fact_snapshot
WHERE snapshot IN (SELECT unnest($snapshots))
GROUP BY fact
"""

SEEN_COUNTS = "SELECT seen, count(*) FROM diff_seen GROUP BY seen ORDER BY seen"

FORGET_SEEN = "DROP TABLE IF EXISTS diff_seen"

HISTORY = (
    """
SELECT
    $names[1 + floor(log2(seen & -seen))::INTEGER] AS first_seen,
    $names[1 + floor(log2(seen))::INTEGER] AS last_seen,
    bit_count(seen) AS snapshots,
"""
    + _TRIPLE
    + """
FROM diff_seen
JOIN fact f ON f.id = fact
"""
    + _LABELS
    + _ORDER
)
