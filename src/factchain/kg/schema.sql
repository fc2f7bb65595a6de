-- The triple store. Q- and P-ids are integers (Q42 is 42).
-- The tables that grow with a dump or a text have no index: DuckDB keeps indexes in memory (32 bytes a
-- row). Ids are given in order, so that min-max statistics find them; add_snapshot keeps them
-- unique.

CREATE TABLE snapshot (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    date     DATE NOT NULL UNIQUE,   -- as of when the facts hold
    source   TEXT NOT NULL,          -- file name of the dump
    checksum TEXT NOT NULL,          -- SHA-256 of the dump
    languages TEXT[] NOT NULL        -- of its names, the preferred one first; none if not known
);

-- Per entity the state of the newest snapshot that has it.
CREATE TABLE entity (
    id          BIGINT NOT NULL,
    label       TEXT,
    description TEXT,
    aliases     TEXT[] NOT NULL,
    classes     BIGINT[] NOT NULL,   -- truthy P31
    wikipedia   TEXT,                -- title of the page in the first language's Wikipedia
    snapshot    INTEGER NOT NULL     -- id of that snapshot
);

CREATE TABLE property (
    id          INTEGER PRIMARY KEY,
    label       TEXT,
    description TEXT,
    aliases     TEXT[] NOT NULL,
    datatype    TEXT NOT NULL,
    snapshot    INTEGER NOT NULL REFERENCES snapshot (id)
);

-- A truthy fact: an entity as object (o), or a typed literal (value and what follows).
CREATE TABLE fact (
    id        BIGINT NOT NULL,
    s         BIGINT NOT NULL,
    p         INTEGER NOT NULL,
    o         BIGINT,
    value     TEXT,
    datatype  TEXT NOT NULL,
    unit      BIGINT,                -- Q-id of a quantity's unit
    precision INTEGER,               -- of a date: 9 year, 10 month, 11 day
    calendar  BIGINT,                -- Q-id of a date's calendar, NULL for the Gregorian
    lower     TEXT,                  -- bounds of a quantity, where stated
    upper     TEXT,
    CHECK ((o IS NULL) <> (value IS NULL))
);

CREATE TABLE fact_snapshot (
    fact       BIGINT NOT NULL,
    snapshot   INTEGER NOT NULL,
    rank       TEXT NOT NULL,        -- preferred | normal
    start_time TEXT,                 -- P580
    end_time   TEXT                  -- P582
);

-- Where a removed item was merged into another: the end of its chain of redirects.
CREATE TABLE redirect (
    source   BIGINT NOT NULL,
    target   BIGINT NOT NULL,
    snapshot INTEGER NOT NULL        -- the newest snapshot that has it
);

CREATE TABLE passage (
    id     TEXT NOT NULL,            -- unique: checked when a corpus is read
    title  TEXT NOT NULL,
    entity BIGINT,                   -- whose page it is, where known
    text   TEXT NOT NULL
);

-- Which passages state which facts.
CREATE TABLE mention (
    passage     TEXT NOT NULL,
    fact        BIGINT NOT NULL,
    extractor   TEXT NOT NULL,
    occurrences BIGINT NOT NULL DEFAULT 1   -- how often the passage states it
);

CREATE TABLE popularity (
    fact  BIGINT NOT NULL,
    count BIGINT NOT NULL            -- passages that state the fact (see popularity_unit)
);

-- One row: the bounds of the popularity classes.
CREATE TABLE popularity_bounds (
    unpopular_min BIGINT NOT NULL,
    unpopular_max BIGINT NOT NULL,
    popular_min   BIGINT NOT NULL
);

CREATE VIEW newest_snapshot AS
SELECT * FROM snapshot ORDER BY date DESC LIMIT 1;

CREATE VIEW oldest_snapshot AS
SELECT * FROM snapshot ORDER BY date LIMIT 1;

-- Facts between two entities that hold in the newest snapshot.
CREATE VIEW current_edge AS
SELECT f.id, f.s, f.p, f.o
FROM fact f
JOIN fact_snapshot fs ON fs.fact = f.id
JOIN newest_snapshot n ON n.id = fs.snapshot
WHERE f.o IS NOT NULL;

CREATE VIEW fact_popularity AS
SELECT
    c.fact,
    c.count,
    CASE
        WHEN c.count BETWEEN b.unpopular_min AND b.unpopular_max THEN 'unpopular'
        WHEN c.count >= b.popular_min THEN 'popular'
    END AS label
FROM popularity c, popularity_bounds b;

-- Between the oldest and the newest snapshot.
CREATE VIEW fact_recency AS
SELECT
    fact,
    CASE
        WHEN in_oldest AND in_newest THEN 'old'
        WHEN in_newest THEN 'new'
        ELSE 'gone'
    END AS recency
FROM (
    SELECT
        fs.fact,
        bool_or(fs.snapshot = (SELECT id FROM oldest_snapshot)) AS in_oldest,
        bool_or(fs.snapshot = (SELECT id FROM newest_snapshot)) AS in_newest
    FROM fact_snapshot fs
    GROUP BY fs.fact
)
WHERE (SELECT count(*) FROM snapshot) >= 2 AND (in_oldest OR in_newest);

-- Ids of a graph that is not Wikidata's, and the numbers that they bear here (`add-triples`).
CREATE TABLE outside_id (
    kind   TEXT NOT NULL,            -- Q for entities, P for properties
    id     TEXT NOT NULL,
    number BIGINT NOT NULL
);

-- Which passages mention which entities, and how often.
CREATE TABLE entity_mention (
    passage     TEXT NOT NULL,
    entity      BIGINT NOT NULL,
    extractor   TEXT NOT NULL,
    occurrences BIGINT NOT NULL
);

CREATE TABLE entity_popularity (
    entity BIGINT NOT NULL,
    count  BIGINT NOT NULL           -- passages that mention the entity (see popularity_unit)
);

-- One row: what the counts of both popularity tables count.
CREATE TABLE popularity_unit (
    unit      TEXT NOT NULL,         -- passages | mentions | documents
    extractor TEXT                   -- whose mentions; NULL for those of all extractors
);

-- Over all snapshots.
CREATE VIEW fact_history AS
SELECT fs.fact, min(s.date) AS first_seen, max(s.date) AS last_seen, count(*) AS snapshots
FROM fact_snapshot fs
JOIN snapshot s ON s.id = fs.snapshot
GROUP BY fs.fact;

-- Subjects and properties of which the oldest and the newest snapshot state different objects.
CREATE VIEW fact_conflict AS
SELECT
    f.s,
    f.p,
    list(f.id ORDER BY f.id) FILTER (r.recency <> 'new') AS older,
    list(f.id ORDER BY f.id) FILTER (r.recency <> 'gone') AS newer
FROM fact_recency r
JOIN fact f ON f.id = r.fact
GROUP BY f.s, f.p
HAVING bool_or(r.recency <> 'old') AND older IS NOT NULL AND newer IS NOT NULL;
