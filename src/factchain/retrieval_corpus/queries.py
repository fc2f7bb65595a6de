"""The SQL of the stage, on the store of `kg/schema.sql`.

Temporary tables of one connection say what is stated: `called` (labels in use), `absent`,
`older`, `conflict`, `unit_label`, `mark`, `node`, `in_scope` and `pattern`. Values are bound; what
is put together here are the constants of this module.
"""

from __future__ import annotations

# Words of labels are set apart by single spaces; the class is what Python's str.split() cuts at.
# Labels are untrusted: one that shows no character is none.
_SPACE = (
    r"[\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]"
)
MACROS = rf"""
CREATE OR REPLACE TEMP MACRO one_line(t) AS
    CASE WHEN regexp_matches(t, '[\t-\r\x1c-\x1f\x{{7f}}-\x{{10ffff}}]|  |^ | $')
        THEN trim(regexp_replace(t, '{_SPACE}+', ' ', 'g')) ELSE t END;
CREATE OR REPLACE TEMP MACRO shown(t) AS
    CASE WHEN regexp_matches(t, '[^\s\p{{Z}}\p{{C}}]') THEN one_line(t) END;
"""

# Dates as factchain.kg.literals.date_text writes them: to their precision, zeros left out.
LITERAL_MACROS = r"""
CREATE OR REPLACE TEMP MACRO ordinal(n) AS n || CASE
    WHEN n % 100 IN (11, 12, 13) THEN 'th'
    WHEN n % 10 = 1 THEN 'st' WHEN n % 10 = 2 THEN 'nd' WHEN n % 10 = 3 THEN 'rd' ELSE 'th' END;
CREATE OR REPLACE TEMP MACRO month_name(m) AS ['January', 'February', 'March', 'April', 'May',
    'June', 'July', 'August', 'September', 'October', 'November', 'December'][TRY_CAST(m AS INT)];
CREATE OR REPLACE TEMP MACRO date_parts_text(y, m, d, prec) AS CASE
    WHEN prec >= 11 AND d <> '' THEN TRY_CAST(d AS INT) || ' ' || month_name(m) || ' ' || y
    WHEN prec >= 10 AND m <> '' THEN month_name(m) || ' ' || y
    WHEN prec > 8 THEN y::TEXT
    WHEN prec = 8 THEN (y // 10 * 10) || 's'
    WHEN prec = 7 THEN ordinal((y + 99) // 100) || ' century'
    WHEN prec = 6 THEN ordinal((y + 999) // 1000) || ' millennium'
    ELSE 'around ' || y END;
CREATE OR REPLACE TEMP MACRO date_text(v, prec) AS CASE
    WHEN regexp_full_match(
        v, '-?[0-9]{1,18}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?(-00)*'
    ) THEN date_parts_text(
        TRY_CAST(regexp_extract(v, '^-?([0-9]+)', 1) AS BIGINT),
        regexp_extract(v, '^-?[0-9]+-(0[1-9]|1[0-2])', 1),
        regexp_extract(v, '^-?[0-9]+-(?:0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])', 1),
        prec
    ) || CASE WHEN v[1] = '-' THEN ' BC' ELSE '' END
    ELSE v END;
CREATE OR REPLACE TEMP MACRO literal_text(v, type, unit, prec) AS CASE
    WHEN type = 'time' AND prec IS NOT NULL THEN date_text(v, prec)
    WHEN type = 'quantity' AND unit IS NOT NULL THEN v || ' ' || unit
    WHEN type = 'monolingualtext' THEN coalesce(nullif(regexp_replace(v, '@[^@]*$', ''), ''), v)
    WHEN type = 'globe-coordinate' THEN replace(v, ',', ', ')
    ELSE v END;
"""

# As factchain.questions.literal_forms.for_readers writes a quantity: 441,467 square kilometres.
MEASURED_MACROS = r"""
CREATE OR REPLACE TEMP MACRO grouped(whole) AS CASE
    WHEN length(ltrim(whole, '-')) > 4 THEN regexp_extract(whole, '^-?') || reverse(trim(
        regexp_replace(reverse(ltrim(whole, '-')), '([0-9]{3})', '\1,', 'g'), ','
    )) ELSE whole END;
CREATE OR REPLACE TEMP MACRO measured(v, one, several) AS CASE
    WHEN regexp_full_match(v, '-?[0-9]+([.][0-9]+)?') THEN concat(
        grouped(regexp_extract(v, '^-?[0-9]+')), regexp_extract(v, '[.].*'), ' ' ||
        CASE WHEN regexp_full_match(v, '-?1([.]0+)?') THEN one ELSE several END
    ) ELSE concat(v, ' ' || one) END;
"""

CALLED = """
CREATE OR REPLACE TEMP VIEW called AS
SELECT id, shown(label) AS label, classes FROM entity WHERE shown(label) IS NOT NULL
"""

# Facts that the newest snapshot lacks: few, so that the main query need not join all memberships.
ABSENT = """
CREATE OR REPLACE TEMP TABLE absent AS
SELECT f.id AS fact FROM fact f
ANTI JOIN fact_snapshot fs
    ON fs.fact = f.id AND fs.snapshot = (SELECT id FROM newest_snapshot)
"""
# Of subjects and properties of which a fact came or went, the facts of the oldest snapshot: where
# there is one, the versions conflict.
OLDER = """
CREATE OR REPLACE TEMP TABLE older AS
WITH oldest AS (SELECT fact FROM fact_snapshot WHERE snapshot = (SELECT id FROM oldest_snapshot)),
changed AS (
    SELECT DISTINCT f.s, f.p FROM fact f JOIN (
        (FROM absent SEMI JOIN oldest USING (fact))
        UNION ALL
        (
            SELECT fs.fact FROM fact_snapshot fs ANTI JOIN oldest USING (fact)
            WHERE fs.snapshot = (SELECT id FROM newest_snapshot)
        )
    ) c ON c.fact = f.id
)
SELECT f.id AS fact, f.s, f.p
FROM fact f SEMI JOIN changed c ON c.s = f.s AND c.p = f.p SEMI JOIN oldest ON oldest.fact = f.id
"""
CONFLICT = "CREATE OR REPLACE TEMP TABLE conflict AS SELECT DISTINCT s, p FROM older"

# What units of quantities are called: few, so that the labels of all entities are not joined again.
UNITS = """
SELECT u.unit, c.label
FROM (SELECT DISTINCT unit FROM fact WHERE unit IS NOT NULL) u LEFT JOIN called c ON c.id = u.unit
ORDER BY u.unit
"""

PREPARE = (MACROS, LITERAL_MACROS, MEASURED_MACROS, CALLED, ABSENT, OLDER, CONFLICT)

_COLUMNS = "f.s, f.p, f.o, f.value, f.datatype, f.unit, f.precision"
# Every fact of the newest snapshot, and of the oldest what conflicts; versions are 0 (undated), 1
# (the oldest) and 2 (the newest). A mark is the number of a fact that questions need, or below 0
# for one that is withheld.
_KNOWN = f"""
known AS (
    SELECT f.*, m.number AS evidence
    FROM (
        SELECT {_COLUMNS}, CASE WHEN c.s IS NULL THEN 0 ELSE 2 END AS version
        FROM fact f
        ANTI JOIN absent a ON a.fact = f.id
        LEFT JOIN conflict c ON c.s = f.s AND c.p = f.p
        UNION ALL
        SELECT {_COLUMNS}, 1 FROM fact f SEMI JOIN older ON older.fact = f.id
    ) f
    LEFT JOIN mark m ON m.s = f.s AND m.p = f.p AND m.o IS NOT DISTINCT FROM f.o
        AND m.value IS NOT DISTINCT FROM f.value AND m.unit IS NOT DISTINCT FROM f.unit
    WHERE coalesce(m.number, 0) >= 0
)"""
_OUTGOING = "SELECT s AS about, o AS other, FALSE AS incoming, * FROM known"
_INCOMING = "SELECT o, s, TRUE, * FROM known WHERE o IS NOT NULL AND o <> s"
_TRIPLE = """CASE
    WHEN f.o IS NOT NULL THEN concat('["Q', f.s, '","P', f.p, '","Q', f.o, '"],')
    ELSE concat(
        '["Q', f.s, '","P', f.p, '",',
        to_json(concat(one_line(f.value), CASE WHEN f.unit IS NOT NULL THEN ' Q' END, f.unit)), '],'
    )
END"""
_OBJECT = """CASE
    WHEN f.o IS NOT NULL THEN coalesce(o.label, 'Q' || f.o)
    ELSE one_line(literal_text(f.value, f.datatype, u.one, f.precision))
END"""
_SPOKEN_OBJECT = f"""CASE
    WHEN f.datatype = 'quantity' AND f.o IS NULL THEN one_line(measured(f.value, u.one, u.several))
    ELSE {_OBJECT}
END"""
_PROPERTY = """
LEFT JOIN (SELECT id, shown(label) AS label FROM property) p ON p.id = f.p"""
_LINE = "concat(f.subject, ' ', coalesce(p.label, 'P' || f.p), ' ', f.object, '.\n')"

# By property and kind of object the ways to say it, of which the first is taken that is for a class
# of the subject or for all; a bare name wants other words around it than `the ...` and `A and B`.
_KIND = """CASE WHEN f.o IS NOT NULL THEN 'entity' WHEN f.datatype IN ('time', 'quantity')
    THEN f.datatype ELSE 'text' END"""
KINDS = f"""
SELECT DISTINCT f.p, {_KIND} AS kind, coalesce(shown(p.label), 'P' || f.p) AS label
FROM (SELECT DISTINCT p, CASE WHEN o IS NOT NULL THEN 0::BIGINT END AS o, datatype FROM fact) f
LEFT JOIN property p ON p.id = f.p
ORDER BY ALL
"""
_PATTERN = f"""
LEFT JOIN pattern p ON p.p = f.p AND p.kind = {_KIND}"""
_WAY = """CASE WHEN len(p.ways) = 1 THEN p.ways[1] ELSE list_filter(
    p.ways, lambda w: len(w.classes) = 0 OR list_has_any(w.classes, f.classes))[1] END"""
_SENTENCE = """CASE
    WHEN regexp_matches(f.object, '^((the|both|what|a|an) |.* and )')
        THEN concat(f.subject, f.way.other_opening, f.object, f.way.other_ending, '.\n')
    WHEN f.way.head <> '' AND lower(regexp_extract(f.object, '[^ ]*$')) = f.way.head
        THEN concat(f.subject, f.way.head_opening, f.object, f.way.ending, '.\n')
    WHEN f.precision > 10 THEN concat(f.subject, f.way.day_opening, f.object, f.way.ending, '.\n')
    ELSE concat(f.subject, f.way.opening, f.object, f.way.ending, '.\n')
END"""

CREATE_MARK = """
CREATE OR REPLACE TEMP TABLE mark (
    s BIGINT, p INTEGER, o BIGINT, value TEXT, unit BIGINT, number INTEGER
)
"""
CREATE_NODE = "CREATE OR REPLACE TEMP TABLE node (id BIGINT)"


def stated_facts(*, sentences: bool, incoming: bool, scoped: bool) -> str:
    """The query of every line: whom it is about, its version, words, triple, mark and neighbour.

    The line starts with `opening` bytes of its subject's label; only a line that leads to its
    entity tells the title itself. `evidence` and `node` are the numbers of `mark` and `node`.
    """
    spoken = f"{_OUTGOING} UNION ALL {_INCOMING}" if incoming else _OUTGOING
    in_scope = "SEMI JOIN in_scope i ON i.id = f.about" if scoped else ""
    named = f"""
named AS (
    SELECT
        f.*, coalesce(s.label, 'Q' || f.s) AS subject, s.classes,
        {_SPOKEN_OBJECT if sentences else _OBJECT} AS object,
        CASE WHEN f.incoming THEN o.label END AS title
    FROM (FROM spoken f {in_scope}) f
    {"LEFT" if incoming else ""} JOIN called s ON s.id = f.s
    LEFT JOIN called o ON o.id = f.o
    LEFT JOIN unit_label u ON u.unit = f.unit
    {"WHERE CASE WHEN f.incoming THEN o.label ELSE s.label END IS NOT NULL" if incoming else ""}
)"""
    if sentences:
        line, source = _SENTENCE, f"(SELECT f.*, {_WAY} AS way FROM named f {_PATTERN}) f"
    else:
        line, source = _LINE, f"named f {_PROPERTY}"
    return f"""
WITH {_KNOWN}, spoken AS ({spoken}), {named}
SELECT
    f.about, f.version::TINYINT AS version, f.title, strlen(f.subject)::INTEGER AS opening,
    {line} AS line, {_TRIPLE} AS triple, f.evidence, n.id AS node
FROM {source}
LEFT JOIN node n ON n.id = f.other
ORDER BY
    f.about, f.version, f.incoming, f.p, f.other NULLS LAST, f.value, f.unit, f.precision,
    f.datatype
"""


FILL_MARK = "INSERT INTO mark SELECT s, p, o, value, unit, number FROM given"
FILL_NODE = "INSERT INTO node SELECT id FROM given"
FILL_UNIT = "CREATE OR REPLACE TEMP TABLE unit_label AS SELECT unit, one, several FROM given"
FILL_PATTERN = "CREATE OR REPLACE TEMP TABLE pattern AS SELECT p, kind, ways FROM given"

SCOPE_OF_QUESTIONS = "CREATE OR REPLACE TEMP TABLE in_scope AS SELECT DISTINCT id FROM given"
# Subjects and objects of the facts that a chain's hops are labelled by.
ADD_SAMPLED = """
INSERT INTO in_scope
WITH labelled AS (
    SELECT f.s, f.o FROM fact f
    SEMI JOIN (
        SELECT fact FROM fact_popularity WHERE label IS NOT NULL
        UNION ALL
        SELECT fact FROM fact_recency WHERE recency <> 'gone'
    ) l ON l.fact = f.id
)
SELECT id FROM (SELECT s AS id FROM labelled UNION SELECT o FROM labelled WHERE o IS NOT NULL)
WHERE id NOT IN (SELECT id FROM in_scope)
"""
COUNT_SCOPE = "SELECT count(*) FROM in_scope"
# In an order that hangs on nothing but the seed and the id.
ADD_DISTRACTORS = """
INSERT INTO in_scope
SELECT c.id FROM called c
SEMI JOIN (
    SELECT f.s FROM fact f ANTI JOIN absent a ON a.fact = f.id
) f ON f.s = c.id
ANTI JOIN in_scope i ON i.id = c.id
ORDER BY md5($seed || ' ' || c.id), c.id
LIMIT $wanted
"""

VERSION_NAMES = """
SELECT (SELECT name FROM oldest_snapshot), (SELECT name FROM newest_snapshot)
"""


def count_left_out(*, incoming: bool, scoped: bool) -> str:
    """The query of how many entities have no label, and have a label but no line."""
    told = (
        "SELECT s FROM held UNION SELECT o FROM held WHERE o IS NOT NULL"
        if incoming
        else ("SELECT DISTINCT s FROM held")
    )
    every = (
        "SELECT id FROM in_scope"
        if scoped
        else ("SELECT id FROM entity UNION SELECT s FROM subject")
    )
    return f"""
WITH held AS (
    SELECT s, o FROM fact f ANTI JOIN absent a ON a.fact = f.id
    UNION ALL
    SELECT s, o FROM fact f SEMI JOIN older ON older.fact = f.id
),
subject AS ({told})
SELECT
    count(*) FILTER (called.id IS NULL),
    count(*) FILTER (called.id IS NOT NULL AND subject.s IS NULL)
FROM ({every}) every
LEFT JOIN called ON called.id = every.id
LEFT JOIN subject ON subject.s = every.id
"""
