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

# Passages that stand in the store as they stand in the shards. Texts are compared by a hash: a join
# by whole texts would carry all of them through memory.
SAME_PASSAGES = """
SELECT p.id
FROM (SELECT id, hash(title, text, entity) AS said FROM passage) p
JOIN (SELECT id, hash(title, text, entity) AS said FROM read_parquet($shards)) i
  ON i.id = p.id AND i.said = p.said
"""

KEPT_PASSAGES = "FROM passage p SEMI JOIN same_passage s ON s.id = p.id"

# What other extractors found, anywhere and in these passages.
OTHER_MENTIONS = "FROM mention WHERE extractor <> $extractor"

OTHER_ENTITY_MENTIONS = "FROM entity_mention WHERE extractor <> $extractor"

KEPT_MENTIONS = f"FROM ({OTHER_MENTIONS}) m SEMI JOIN same_passage s ON s.id = m.passage"

KEPT_ENTITY_MENTIONS = f"""
FROM ({OTHER_ENTITY_MENTIONS}) m SEMI JOIN same_passage s ON s.id = m.passage
"""

# Tables are emptied and filled again, since DuckDB keeps eight bytes in memory for each row that a
# condition deletes.
EMPTY = {
    "passage": "DELETE FROM passage",
    "mention": "DELETE FROM mention",
    "entity_mention": "DELETE FROM entity_mention",
}

FILL = {
    "passage": "INSERT INTO passage FROM kept",
    "mention": "INSERT INTO mention FROM kept",
    "entity_mention": "INSERT INTO entity_mention FROM kept",
}

ADD_PASSAGES = """
INSERT INTO passage
SELECT id, title, entity, text
FROM read_parquet($shards) i ANTI JOIN same_passage s ON s.id = i.id
"""

# What was counted in other mentions.
DROP_COUNTS = """
DELETE FROM popularity;
DELETE FROM entity_popularity;
DELETE FROM popularity_unit;
"""

# The passages by number, which joins much faster than their ids.
NUMBERED_PASSAGES = """
SELECT row_number() OVER () AS number, id, mentions FROM read_parquet($shards)
"""

NAMED_ENTITIES = """
SELECT number, m.entity, m.count FROM (SELECT number, unnest(mentions) AS m FROM numbered_passage)
"""

DISTINCT_NAMED = "SELECT DISTINCT entity FROM named_entity"

# Facts of the newest snapshot between entities that are named at all.
NAMED_EDGES = """
SELECT id, s, o FROM current_edge
WHERE s IN (FROM distinct_named) AND o IN (FROM distinct_named)
"""

ADD_ENTITY_MENTIONS = """
INSERT INTO entity_mention
SELECT id, m.entity, $extractor, m.count
FROM (SELECT id, unnest(mentions) AS m FROM numbered_passage)
"""

COUNT_NAMED = "SELECT count(*) FROM named_entity"

NAMING_PASSAGES = "SELECT number FROM named_entity USING SAMPLE reservoir(10000 ROWS)"

# A fact is stated where its subject and object are named, as often as both can be paired.
COOCCURRING_FACTS = """
WITH named AS (FROM named_entity WHERE number >= $first AND number < $end)
SELECT s.number, e.id AS fact, least(s.count, o.count) AS count
FROM named s
JOIN named_edge e ON e.s = s.entity
JOIN named o ON o.number = s.number AND o.entity = e.o
"""

COUNT_COOCCURRING = "SELECT count(*) FROM cooccurring_fact"

STATING_PASSAGES = "SELECT number FROM cooccurring_fact USING SAMPLE reservoir(10000 ROWS)"

ADD_COOCCURRING_FACTS = """
INSERT INTO mention
SELECT p.id, f.fact, $extractor, f.count
FROM (FROM cooccurring_fact WHERE number >= $first AND number < $end) f
JOIN numbered_passage p ON p.number = f.number
WHERE p.number >= $first AND p.number < $end
ORDER BY f.number, f.fact
"""

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
