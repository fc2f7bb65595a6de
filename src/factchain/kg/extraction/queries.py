"""The SQL of text: names to look for, what passages say, popularity. Values are bound."""

# Names of at least $shortest characters, with all who bear them.
BEARERS = """
SELECT name, list(DISTINCT id ORDER BY id) AS bearers
FROM (
    SELECT id, label AS name FROM entity WHERE label IS NOT NULL
    UNION ALL
    SELECT id, unnest(aliases) FROM entity
)
WHERE length(name) >= $shortest AND NOT contains(name, chr(0))
GROUP BY name
ORDER BY name
"""

# Facts of the newest snapshot seen from each end that shares its name with another entity.
EDGES_OF_SHARED = """
CREATE OR REPLACE TEMP TABLE shared_edge AS
WITH
    edge AS MATERIALIZED (SELECT s, o FROM current_edge),
    shared AS MATERIALIZED (
        SELECT DISTINCT unnest(bearers) AS id FROM incoming_bearers WHERE len(bearers) > 1
    )
SELECT s AS entity, o AS other FROM edge WHERE s IN (FROM shared)
UNION ALL
SELECT o, s FROM edge WHERE o IN (FROM shared)
"""

# In how many facts such an entity is subject or object.
DEGREES = "SELECT entity, count(*) AS degree FROM shared_edge GROUP BY entity ORDER BY entity"

# Pairs of any entity and such a one that a fact joins; ids fit 31 bits.
NEIGHBOURS = "SELECT DISTINCT (other << 32) | entity AS pair FROM shared_edge ORDER BY pair"

DROP_SHARED = "DROP TABLE shared_edge"

PAGES = """
SELECT wikipedia AS title, min(id) AS entity
FROM entity
WHERE wikipedia IS NOT NULL
GROUP BY wikipedia
HAVING count(*) = 1
ORDER BY title
"""

# Passages that stand in the store as they stand in the shards.
SAME_PASSAGES = """
CREATE OR REPLACE TEMP TABLE same_passage AS
SELECT p.id
FROM passage p
JOIN read_parquet($shards) i
  ON i.id = p.id AND i.title = p.title AND i.text = p.text
 AND i.entity IS NOT DISTINCT FROM p.entity
"""

DROP_SAME_PASSAGES = "DROP TABLE same_passage"

# What other text said goes. The tables are emptied and filled again, since DuckDB keeps eight bytes
# in memory for each row that a condition deletes.
DROP_OTHER_TEXT = """
CREATE OR REPLACE TEMP TABLE kept_mention AS
FROM mention m SEMI JOIN same_passage p ON p.id = m.passage;
CREATE OR REPLACE TEMP TABLE kept_entity_mention AS
FROM entity_mention m SEMI JOIN same_passage p ON p.id = m.passage;
CREATE OR REPLACE TEMP TABLE kept_passage AS FROM passage k SEMI JOIN same_passage p ON p.id = k.id;
DELETE FROM mention;
DELETE FROM entity_mention;
DELETE FROM passage;
INSERT INTO mention FROM kept_mention;
INSERT INTO entity_mention FROM kept_entity_mention;
INSERT INTO passage FROM kept_passage;
DROP TABLE kept_mention;
DROP TABLE kept_entity_mention;
DROP TABLE kept_passage;
"""

# What was counted in other mentions.
DROP_COUNTS = """
DELETE FROM popularity;
DELETE FROM entity_popularity;
DELETE FROM popularity_unit;
"""

ADD_PASSAGES = """
INSERT INTO passage
SELECT id, title, entity, text FROM read_parquet($shards)
WHERE id NOT IN (FROM same_passage)
"""

DROP_MENTIONS = "DELETE FROM mention WHERE extractor = $extractor"

DROP_ENTITY_MENTIONS = "DELETE FROM entity_mention WHERE extractor = $extractor"

# The passages by number, which joins much faster than their ids.
NUMBER_PASSAGES = """
CREATE OR REPLACE TEMP TABLE numbered AS
SELECT row_number() OVER () AS number, id, mentions FROM read_parquet($shards)
"""

NAMED_ENTITIES = """
CREATE OR REPLACE TEMP TABLE named AS
SELECT number, m.entity, m.count FROM (SELECT number, unnest(mentions) AS m FROM numbered)
"""

# Facts of the newest snapshot between entities that are named at all.
NAMED_EDGES = """
CREATE OR REPLACE TEMP TABLE named_edge AS
SELECT id, s, o FROM current_edge
WHERE s IN (SELECT DISTINCT entity FROM named) AND o IN (SELECT DISTINCT entity FROM named)
"""

ADD_ENTITY_MENTIONS = """
INSERT INTO entity_mention
SELECT id, m.entity, $extractor, m.count FROM (SELECT id, unnest(mentions) AS m FROM numbered)
"""

# A fact is stated where its subject and object are named, as often as both can be paired.
ADD_COOCCURRING_FACTS = """
INSERT INTO mention
SELECT p.id, e.id, $extractor, least(s.count, o.count)
FROM named s
JOIN named_edge e ON e.s = s.entity
JOIN named o ON o.number = s.number AND o.entity = e.o
JOIN numbered p ON p.number = s.number
ORDER BY s.number, e.id
"""

DROP_NAMED = "DROP TABLE numbered; DROP TABLE named; DROP TABLE named_edge"

COUNT_MENTIONS = "SELECT count(*), count(DISTINCT fact) FROM mention WHERE extractor = ?"

COUNT_ENTITY_MENTIONS = """
SELECT count(*) FROM entity_mention WHERE extractor = coalesce(?, extractor)
"""

POPULARITY_SIZES = """
SELECT (SELECT count(*) FROM popularity), (SELECT count(*) FROM entity_popularity)
"""

# Popularity: each takes the extractor, or NULL for all of them.
POPULARITY_BY_PASSAGES = """
INSERT INTO popularity
SELECT fact, count(DISTINCT passage)
FROM mention
WHERE extractor = coalesce($extractor, extractor)
GROUP BY fact
ORDER BY 1
"""

# Of a fact that two extractors find in one passage, the larger number counts.
POPULARITY_BY_MENTIONS = """
INSERT INTO popularity
SELECT fact, sum(occurrences)
FROM (
    SELECT fact, passage, max(occurrences) AS occurrences
    FROM mention
    WHERE extractor = coalesce($extractor, extractor)
    GROUP BY fact, passage
)
GROUP BY fact
ORDER BY 1
"""

# A document is a page: all passages of one title.
POPULARITY_BY_DOCUMENTS = """
INSERT INTO popularity
SELECT m.fact, count(DISTINCT coalesce(p.title, m.passage))
FROM mention m
LEFT JOIN passage p ON p.id = m.passage
WHERE m.extractor = coalesce($extractor, m.extractor)
GROUP BY m.fact
ORDER BY 1
"""

ENTITIES_BY_PASSAGES = """
INSERT INTO entity_popularity
SELECT entity, count(DISTINCT passage)
FROM entity_mention
WHERE extractor = coalesce($extractor, extractor)
GROUP BY entity
ORDER BY 1
"""

ENTITIES_BY_MENTIONS = """
INSERT INTO entity_popularity
SELECT entity, sum(occurrences)
FROM (
    SELECT entity, passage, max(occurrences) AS occurrences
    FROM entity_mention
    WHERE extractor = coalesce($extractor, extractor)
    GROUP BY entity, passage
)
GROUP BY entity
ORDER BY 1
"""

ENTITIES_BY_DOCUMENTS = """
INSERT INTO entity_popularity
SELECT m.entity, count(DISTINCT coalesce(p.title, m.passage))
FROM entity_mention m
LEFT JOIN passage p ON p.id = m.passage
WHERE m.extractor = coalesce($extractor, m.extractor)
GROUP BY m.entity
ORDER BY 1
"""

DROP_BOUNDS = "DELETE FROM popularity_bounds"

ADD_BOUNDS = "INSERT INTO popularity_bounds VALUES (?, ?, ?)"

ADD_UNIT = "INSERT INTO popularity_unit VALUES (?, ?)"

CLASS_SIZES = """
SELECT coalesce(label, 'unlabelled'), count(*) FROM fact_popularity GROUP BY 1 ORDER BY 1
"""
