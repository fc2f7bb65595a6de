"""The SQL of text corpora: passage ids that stand twice. Values are bound."""

LIMIT_MEMORY = "SET memory_limit = ?"

SPILL_TO = "SET temp_directory = ?"

CREATE_IDS = "CREATE TABLE seen (id TEXT, file INTEGER, line BIGINT)"

ADD_IDS = "INSERT INTO seen SELECT id, file, line FROM incoming"

# Where an id stands for the second time: the first such place.
FIRST_REPEATED = """
SELECT id, file, line
FROM seen
WHERE id IN (SELECT id FROM seen GROUP BY id HAVING count(*) > 1)
QUALIFY row_number() OVER (PARTITION BY id ORDER BY file, line) = 2
ORDER BY file, line
LIMIT 1
"""
