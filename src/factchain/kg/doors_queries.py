"""The SQL that turns staged triples and names into tables of the store.

Values are bound; nothing is interpolated.
"""

OUTSIDE_IDS = "SELECT kind, id, number FROM outside_id"
KNOWN = "CREATE TABLE known AS SELECT * FROM read_parquet(?)"

ADD_OUTSIDE_IDS = """
INSERT INTO outside_id SELECT kind, id, number FROM read_parquet(?) ORDER BY kind, number
"""

# Up to nine digits: Wikidata's own ids, which keep their numbers. All others are numbered above.
OWN_NUMBER = """
CREATE MACRO own_number(kind, id) AS
CASE
    WHEN id[1] = kind AND regexp_full_match(id, '[QP][1-9][0-9]{0,8}')
    THEN CAST(substr(id, 2) AS BIGINT)
END
"""

TRIPLES = "CREATE TABLE triple AS SELECT * FROM read_parquet(?)"
NAMES = "CREATE TABLE name AS SELECT * FROM read_parquet(?)"
NO_NAMES = """
CREATE TABLE name (kind TEXT, id TEXT, field TEXT, place INTEGER, text TEXT, count BIGINT)
"""

# New ids in their order, above those that the store knows.
OUTSIDE = """
CREATE TABLE outside AS
SELECT kind, id, number, false AS fresh FROM known
UNION ALL
SELECT
    kind, id,
    coalesce((SELECT max(number) FROM known k WHERE k.kind = n.kind), $below)
        + row_number() OVER (PARTITION BY kind ORDER BY id),
    true
FROM (
    SELECT DISTINCT kind, id
    FROM (
        SELECT 'Q' AS kind, s AS id FROM triple
        UNION ALL SELECT 'Q', o FROM triple WHERE o IS NOT NULL
        UNION ALL SELECT 'P', p FROM triple
    )
    WHERE own_number(kind, id) IS NULL
) n
WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.kind = n.kind AND k.id = n.id)
"""

FRESH = "SELECT kind, id, number FROM outside WHERE fresh ORDER BY kind, number"
LARGEST = "SELECT coalesce(max(number), 0) FROM outside"

# What a property is said to hold: its first name in alphabetical order, should there be two.
PROPERTY_TYPES = """
CREATE TABLE property_type AS
SELECT id, min(text) AS datatype FROM name WHERE kind = 'P' AND field = 'datatype' GROUP BY id
"""

DROPPED = """
SELECT count(*) FROM triple t JOIN property_type y ON y.id = t.p
WHERE y.datatype NOT IN (SELECT unnest(?))
"""

FACTS = """
CREATE TABLE numbered AS
SELECT
    coalesce(own_number('Q', t.s), s.number) AS s,
    CAST(coalesce(own_number('P', t.p), p.number) AS INTEGER) AS p,
    coalesce(own_number('Q', t.o), o.number) AS o,
    t.value, t.datatype, t.precision
FROM triple t
LEFT JOIN outside s ON s.kind = 'Q' AND s.id = t.s
LEFT JOIN outside p ON p.kind = 'P' AND p.id = t.p
LEFT JOIN outside o ON o.kind = 'Q' AND o.id = t.o
LEFT JOIN property_type y ON y.id = t.p
WHERE y.datatype IS NULL OR y.datatype IN (SELECT unnest(?))
"""

INCOMING_FACTS = """
SELECT DISTINCT
    s, p, o, value, datatype,
    CAST(NULL AS BIGINT) AS unit, precision,
    CAST(NULL AS BIGINT) AS calendar, CAST(NULL AS TEXT) AS lower, CAST(NULL AS TEXT) AS upper,
    'normal' AS rank, CAST(NULL AS TEXT) AS start_time, CAST(NULL AS TEXT) AS end_time
FROM numbered
ORDER BY s, p, o, value, datatype, precision
"""

# Names of things by number: the text that is said most often in the first language that has one;
# other spellings of the same language are aliases.
TERMS = """
CREATE TABLE term AS
WITH said AS (
    SELECT
        n.kind, coalesce(own_number(n.kind, n.id), x.number) AS number,
        n.field, n.place, n.text, sum(n.count) AS count
    FROM name n LEFT JOIN outside x ON x.kind = n.kind AND x.id = n.id
    WHERE n.field <> 'redirect'
    GROUP BY ALL
),
ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY kind, number, field ORDER BY place, count DESC, text
    ) AS position, min(place) OVER (PARTITION BY kind, number, field) AS best
    FROM said WHERE number IS NOT NULL
),
labels AS (
    SELECT kind, number, text FROM ranked WHERE field = 'label' AND position = 1
)
SELECT
    r.kind, r.number,
    min(r.text) FILTER (r.field = 'label' AND r.position = 1) AS label,
    min(r.text) FILTER (r.field = 'description' AND r.position = 1) AS description,
    min(r.text) FILTER (r.field = 'wikipedia' AND r.position = 1) AS wikipedia,
    min(r.text) FILTER (r.field = 'datatype') AS datatype,
    coalesce(list_sort(list(DISTINCT r.text) FILTER (
        (r.field = 'alias' OR (r.field = 'label' AND r.position > 1 AND r.place = r.best))
        AND r.text IS DISTINCT FROM l.text
    )), []) AS aliases
FROM ranked r LEFT JOIN labels l ON l.kind = r.kind AND l.number = r.number
GROUP BY r.kind, r.number
"""

INCOMING_ENTITIES = """
SELECT
    i.id, t.label, t.description, coalesce(t.aliases, []) AS aliases,
    coalesce(c.classes, []) AS classes, t.wikipedia
FROM (
    SELECT s AS id FROM numbered
    UNION SELECT o FROM numbered WHERE o IS NOT NULL
    UNION SELECT number FROM term WHERE kind = 'Q'
) i
LEFT JOIN term t ON t.kind = 'Q' AND t.number = i.id
LEFT JOIN (
    SELECT s, list_sort(list(DISTINCT o)) AS classes FROM numbered
    WHERE p = ? AND o IS NOT NULL GROUP BY s
) c ON c.s = i.id
ORDER BY i.id
"""

INCOMING_PROPERTIES = """
SELECT
    CAST(i.id AS INTEGER) AS id, t.label, t.description, coalesce(t.aliases, []) AS aliases,
    coalesce(t.datatype, f.datatype, 'unknown') AS datatype
FROM (
    SELECT p AS id FROM numbered UNION SELECT number FROM term WHERE kind = 'P'
) i
LEFT JOIN term t ON t.kind = 'P' AND t.number = i.id
LEFT JOIN (
    SELECT p, min(datatype) AS datatype
    FROM (
        SELECT p, datatype FROM numbered GROUP BY p, datatype
        QUALIFY rank() OVER (PARTITION BY p ORDER BY count(*) DESC) = 1
    )
    GROUP BY p
) f ON f.p = i.id
ORDER BY i.id
"""

# A title that two items claim says nothing.
ENTITIES_OF_TITLES = """
SELECT wikipedia, min(id) FROM entity WHERE wikipedia IN (SELECT unnest(?))
GROUP BY wikipedia HAVING count(*) = 1
"""

INCOMING_REDIRECTS = """
SELECT own_number('Q', id) AS source, own_number('Q', text) AS target
FROM name WHERE field = 'redirect' ORDER BY 1, 2
"""

COUNT_ROWS = "SELECT count(*) FROM read_parquet(?)"
