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

# In how many facts of the newest snapshot an entity is subject or object.
DEGREES = """
SELECT entity, count(*) AS degree
FROM (SELECT s AS entity FROM current_edge UNION ALL SELECT o FROM current_edge)
GROUP BY entity
ORDER BY entity
"""

# Pairs of entities that a fact joins, either way round; ids fit 31 bits.
NEIGHBOURS = """
SELECT DISTINCT (a << 32) | b AS pair
FROM (SELECT s AS a, o AS b FROM current_edge UNION ALL SELECT o, s FROM current_edge)
ORDER BY pair
"""

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

# What other text said goes.
DROP_OTHER_TEXT = """
DELETE FROM mention WHERE passage NOT IN (FROM same_passage);
DELETE FROM entity_mention WHERE passage NOT IN (FROM same_passage);
DELETE FROM passage WHERE id NOT IN (FROM same_passage);
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
ORDER BY id
"""

DROP_MENTIONS = "DELETE FROM mention WHERE extractor = $extractor"

DROP_ENTITY_MENTIONS = "DELETE FROM entity_mention WHERE extractor = $extractor"

ADD_ENTITY_MENTIONS = """
INSERT INTO entity_mention
SELECT id, m.entity, $extractor, m.count
FROM (SELECT id, unnest(mentions) AS m FROM read_parquet($shards))
ORDER BY id, m.entity
"""

# A fact of the newest snapshot is stated where its subject and object are named, as often as
# both can be paired.
ADD_COOCCURRING_FACTS = """
INSERT INTO mention
SELECT s.passage, e.id, $extractor, least(s.occurrences, o.occurrences)
FROM entity_mention s
JOIN current_edge e ON e.s = s.entity
JOIN entity_mention o ON o.passage = s.passage AND o.entity = e.o
WHERE s.extractor = $extractor AND o.extractor = $extractor
ORDER BY s.passage, e.id
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
