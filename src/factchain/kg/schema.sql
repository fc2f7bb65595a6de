-- The triple store. Q- and P-ids are integers (Q42 is 42).

CREATE TABLE snapshot (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    date     DATE NOT NULL UNIQUE,   -- as of when the facts hold
    source   TEXT NOT NULL,          -- file name of the dump
    checksum TEXT NOT NULL           -- SHA-256 of the dump
);

-- Per entity the state of the newest snapshot that has it.
CREATE TABLE entity (
    id          BIGINT PRIMARY KEY,
    label       TEXT,
    description TEXT,
    aliases     TEXT[] NOT NULL,
    classes     BIGINT[] NOT NULL,   -- truthy P31
    wikipedia   TEXT,                -- title of the English Wikipedia page
    snapshot    INTEGER NOT NULL REFERENCES snapshot (id)
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
    id        BIGINT PRIMARY KEY,
    s         BIGINT NOT NULL,
    p         INTEGER NOT NULL,
    o         BIGINT,
    value     TEXT,
    datatype  TEXT NOT NULL,
    unit      BIGINT,                -- Q-id of a quantity's unit
    precision INTEGER,               -- of a date: 9 year, 10 month, 11 day
    CHECK ((o IS NULL) <> (value IS NULL))
);

CREATE TABLE fact_snapshot (
    fact       BIGINT NOT NULL,
    snapshot   INTEGER NOT NULL,
    rank       TEXT NOT NULL,        -- preferred | normal
    start_time TEXT,                 -- P580
    end_time   TEXT,                 -- P582
    PRIMARY KEY (fact, snapshot)
);

CREATE TABLE passage (
    id     TEXT PRIMARY KEY,
    title  TEXT NOT NULL,
    entity BIGINT,                   -- whose page it is, where known
    text   TEXT NOT NULL
);

CREATE TABLE mention (
    passage   TEXT NOT NULL,
    fact      BIGINT NOT NULL,
    extractor TEXT NOT NULL,
    PRIMARY KEY (passage, fact, extractor)
);

CREATE TABLE popularity (
    fact  BIGINT PRIMARY KEY,
    count BIGINT NOT NULL            -- distinct passages that state the fact
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
