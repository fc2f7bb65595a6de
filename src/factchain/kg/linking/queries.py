"""The SQL of linking: a wiki's pages in a scratch file, the index, statements. Values are bound."""

# Rows of the SQL dumps: of a page, its title; of its properties, kind and value; of a redirect,
# the title that it leads to.
CREATE_ROWS = "CREATE TABLE wiki (source TEXT, id BIGINT, kind TEXT, text TEXT)"

ADD_ROWS = "INSERT INTO wiki SELECT ?, id, kind, text FROM incoming"

# Every redirect with the title at its end; those that lead in a circle have none.
RESOLVE_REDIRECTS = """
CREATE TABLE article AS
SELECT id, text AS title FROM wiki WHERE source = 'page'
QUALIFY row_number() OVER (PARTITION BY text ORDER BY id) = 1
    AND row_number() OVER (PARTITION BY id ORDER BY text) = 1;

CREATE TABLE redirect AS
SELECT w.id, min(w.text) AS target
FROM wiki w JOIN article a ON a.id = w.id
WHERE w.source = 'redirect'
GROUP BY w.id;

CREATE TABLE resolved AS
WITH RECURSIVE walk (id, target, steps) AS (
    SELECT id, target, 1 FROM redirect
    UNION ALL
    SELECT w.id, r.target, w.steps + 1
    FROM walk w
    JOIN article a ON a.title = w.target
    JOIN redirect r ON r.id = a.id
    WHERE w.steps < ?
)
SELECT w.id, w.target
FROM walk w
WHERE NOT EXISTS (
    SELECT 1 FROM article a JOIN redirect r ON r.id = a.id WHERE a.title = w.target
);
"""

SIZES = """
SELECT
    (SELECT count(*) FROM article),
    (SELECT count(*) FROM wiki WHERE source = 'page') - (SELECT count(*) FROM article),
    (SELECT count(*) FROM redirect) - (SELECT count(*) FROM resolved)
"""

# What wikimapper reads: three columns for each table.
CLEAN_ROWS = {
    "page": "SELECT id, 0, title FROM article ORDER BY id",
    "page_props": """
        SELECT id, kind, min(text) FROM wiki
        WHERE source = 'page_props' AND kind = 'wikibase_item'
        GROUP BY id, kind ORDER BY id
    """,
    "redirect": "SELECT id, 0, target FROM resolved ORDER BY id",
}

# Disambiguation pages, and what redirects to one.
DISAMBIGUATION_PAGES = """
WITH ambiguous AS (
    SELECT a.id, a.title
    FROM wiki w JOIN article a ON a.id = w.id
    WHERE w.source = 'page_props' AND w.kind = 'disambiguation'
)
SELECT title FROM ambiguous
UNION
SELECT a.title
FROM resolved r JOIN ambiguous t ON t.title = r.target JOIN article a ON a.id = r.id
ORDER BY 1
"""

RESTORE_NULL_TITLE = "UPDATE mapping SET wikipedia_title = 'NULL' WHERE wikipedia_title = char(0)"

CREATE_DISAMBIGUATION = "CREATE TABLE disambiguation (wikipedia_title text PRIMARY KEY)"

ADD_DISAMBIGUATION = "INSERT INTO disambiguation VALUES (?)"

COUNT_ITEMS = "SELECT count(*) FROM mapping WHERE wikidata_id IS NOT NULL"

FIND_DISAMBIGUATION = "SELECT 1 FROM disambiguation WHERE wikipedia_title = ?"

HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"

# Statements of a run, one row for each passage that makes them.
STATEMENTS = """
SELECT id AS passage, s.head, s.relation, s.tail, s.count
FROM (SELECT id, unnest(statements) AS s FROM read_parquet($shards))
"""

GATHERED_STATEMENTS = """
SELECT passage, head, relation, tail, count(*) AS count FROM incoming_triple GROUP BY ALL
"""

SPANS = "SELECT head FROM stated UNION SELECT tail FROM stated ORDER BY 1"

COUNT_STATED = "SELECT count(*) FROM stated"

STATING_PASSAGES = "SELECT passage FROM stated USING SAMPLE reservoir(10000 ROWS)"

RELATIONS = "SELECT DISTINCT relation FROM stated ORDER BY relation"

PROPERTY_NAMES = "SELECT id, label, aliases FROM property ORDER BY id"

KEEP_RELATIONS = "CREATE OR REPLACE TEMP TABLE linked_relation AS FROM incoming_relation"

# Each span with its entity or why it has none; an item that was merged into another since the
# index was made is that one. Q4167410 is the class of disambiguation pages.
MEANINGS = """
SELECT
    l.span,
    l.entity,
    l.merged,
    l.disambiguation OR coalesce(list_contains(e.classes, 4167410), FALSE) AS disambiguation
FROM (
    SELECT
        m.span, coalesce(r.target, m.entity) AS entity, r.target IS NOT NULL AS merged,
        m.disambiguation
    FROM read_parquet($shards) m LEFT JOIN redirect r ON r.source = m.entity
) l
LEFT JOIN entity e ON e.id = l.entity
"""

# How many facts of the graph have the property, a class of the subject and one of the object;
# only of properties that share a name.
TYPE_SUPPORT = """
WITH typed AS (SELECT id, unnest(classes) AS class FROM entity)
SELECT e.p, s.class AS s_class, o.class AS o_class, count(*) AS facts
FROM current_edge e
JOIN typed s ON s.id = e.s
JOIN typed o ON o.id = e.o
WHERE e.p IN (
    SELECT p FROM linked_relation
    WHERE relation IN (SELECT relation FROM linked_relation GROUP BY relation HAVING count(*) > 1)
)
GROUP BY ALL
"""

# Facts of the newest snapshot between entities that are meant at all.
MEANT_EDGES = """
SELECT id, s, p, o FROM current_edge
WHERE s IN (SELECT entity FROM meant) AND o IN (SELECT entity FROM meant)
"""

STATED_PART = """
FROM stated WHERE passage >= $first AND (passage < $end OR $end IS NULL)
"""

# Of several properties the one whose facts most often join the classes of head and tail; a tie,
# or none that joins them, leaves the relation ambiguous.
CHOSEN_PROPERTIES = """
WITH
    candidates AS (
        SELECT relation, list(p ORDER BY p) AS properties FROM linked_relation GROUP BY relation
    ),
    wanted AS (
        SELECT DISTINCT s.relation, h.entity AS head, t.entity AS tail
        FROM stated_part s
        JOIN candidates c ON c.relation = s.relation AND len(c.properties) > 1
        JOIN meant h ON h.span = s.head AND h.entity IS NOT NULL
        JOIN meant t ON t.span = s.tail AND t.entity IS NOT NULL
    ),
    typed AS (SELECT id, unnest(classes) AS class FROM entity),
    scored AS (
        SELECT w.relation, w.head, w.tail, l.p, sum(t.facts) AS facts
        FROM wanted w
        JOIN linked_relation l ON l.relation = w.relation
        JOIN typed a ON a.id = w.head
        JOIN typed b ON b.id = w.tail
        JOIN type_support t ON t.p = l.p AND t.s_class = a.class AND t.o_class = b.class
        GROUP BY ALL
    )
SELECT relation, head, tail, arg_max(p, facts) AS p
FROM (SELECT *, max(facts) OVER (PARTITION BY relation, head, tail) AS most FROM scored)
WHERE facts = most
GROUP BY relation, head, tail
HAVING count(*) = 1
"""

# Every statement with the entities that it names, and the fact of the newest snapshot that it
# states, or why there is none; the first reason counts.
LINKED_STATEMENTS = """
WITH
    candidates AS (
        SELECT relation, list(p ORDER BY p) AS properties FROM linked_relation GROUP BY relation
    ),
    meaning AS (
        SELECT
            s.passage,
            s.count,
            h.entity AS head,
            t.entity AS tail,
            h.disambiguation AS head_ambiguous,
            t.disambiguation AS tail_ambiguous,
            r.relation IS NOT NULL AS named,
            CASE len(r.properties) WHEN 1 THEN r.properties[1] ELSE c.p END AS p
        FROM stated_part s
        JOIN meant h ON h.span = s.head
        JOIN meant t ON t.span = s.tail
        LEFT JOIN candidates r ON r.relation = s.relation
        LEFT JOIN chosen c
            ON c.relation = s.relation AND c.head = h.entity AND c.tail = t.entity
    )
SELECT
    m.passage,
    m.count,
    CASE WHEN NOT m.head_ambiguous THEN m.head END AS head,
    CASE WHEN NOT m.tail_ambiguous THEN m.tail END AS tail,
    e.id AS fact,
    CASE
        WHEN m.head_ambiguous OR m.tail_ambiguous THEN 'disambiguation page'
        WHEN m.head IS NULL THEN 'unknown head'
        WHEN m.tail IS NULL THEN 'unknown tail'
        WHEN NOT m.named THEN 'unknown relation'
        WHEN m.p IS NULL THEN 'ambiguous relation'
        WHEN e.id IS NULL THEN 'not in the graph'
    END AS dropped
FROM meaning m
LEFT JOIN meant_edge e
    ON e.s = m.head AND e.p = m.p AND e.o = m.tail
    AND NOT m.head_ambiguous AND NOT m.tail_ambiguous
"""

# A passage that states a fact in several words states it that often.
ADD_MENTIONS = """
INSERT INTO mention
SELECT passage, fact, $extractor, sum(count) FROM linked_statement
WHERE fact IS NOT NULL
GROUP BY passage, fact
ORDER BY passage, fact
"""

ADD_ENTITY_MENTIONS = """
INSERT INTO entity_mention
SELECT passage, entity, $extractor, sum(count)
FROM (SELECT passage, unnest([head, tail]) AS entity, count FROM linked_statement)
WHERE entity IS NOT NULL
GROUP BY passage, entity
ORDER BY passage, entity
"""

DROPPED = """
SELECT dropped, sum(count) FROM linked_statement WHERE dropped IS NOT NULL GROUP BY 1 ORDER BY 1
"""

# How many statements there are, how many state a fact, and how many ends are entities.
LINKED_SIZES = """
SELECT
    coalesce(sum(count), 0),
    coalesce(sum(count) FILTER (fact IS NOT NULL), 0),
    count(head) + count(tail)
FROM linked_statement
"""

COUNT_FACTS = "SELECT count(DISTINCT fact) FROM mention WHERE extractor = ?"

COUNT_MERGED = "SELECT count(*) FROM meant WHERE merged"

DROP_RELATIONS = "DROP TABLE linked_relation"
