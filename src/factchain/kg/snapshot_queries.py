"""The SQL that makes one dump a snapshot of the store. Values are bound."""

ADD_SNAPSHOT = """
INSERT INTO snapshot
SELECT coalesce(max(id), 0) + 1, ?, ?, ?, ?, ? FROM snapshot
RETURNING id
"""

INCOMING_ENTITIES = "SELECT id FROM incoming_entity USING SAMPLE reservoir(10000 ROWS)"

COUNT_ENTITIES = """
SELECT (SELECT count(*) FROM incoming_entity) + (SELECT count(*) FROM entity)
"""

# Rows that stand more than once are rare, and grouping all rows takes ten times as long as
# sorting them: so those are found by a key first, and only they are grouped.
STAGED_ENTITIES = """
WITH
    entity_of_part AS NOT MATERIALIZED (
        FROM incoming_entity WHERE id >= $first AND id < $end
    ),
    repeated AS MATERIALIZED (
        SELECT id FROM entity_of_part GROUP BY id HAVING count(*) > 1
    )
SELECT id, label, description, aliases, classes, wikipedia
FROM (
    FROM entity_of_part WHERE id NOT IN (FROM repeated)
    UNION ALL BY NAME
    FROM entity_of_part WHERE id IN (FROM repeated)
    QUALIFY row_number() OVER (
        PARTITION BY id ORDER BY label, description, aliases, classes, wikipedia
    ) = 1
)
"""

# The newest snapshot wins: what a newer one says of an entity stays. The table is emptied and
# filled again, since DuckDB keeps eight bytes in memory for each row that a condition deletes.
MERGED_ENTITIES = """
WITH
    older AS (
        SELECT id FROM snapshot WHERE date < (SELECT date FROM snapshot WHERE id = $snapshot)
    ),
    stored AS NOT MATERIALIZED (FROM entity WHERE id >= $first AND id < $end),
    staged AS NOT MATERIALIZED (FROM staged_entity WHERE id >= $first AND id < $end)
FROM stored WHERE snapshot NOT IN (FROM older)
UNION ALL
FROM (FROM stored WHERE snapshot IN (FROM older)) e ANTI JOIN staged i ON i.id = e.id
UNION ALL
SELECT i.id, i.label, i.description, i.aliases, i.classes, i.wikipedia, $snapshot
FROM staged i
ANTI JOIN (SELECT id FROM stored WHERE snapshot NOT IN (FROM older)) e ON e.id = i.id
"""

EMPTY_ENTITIES = "DELETE FROM entity"

ADD_ENTITIES = """
INSERT INTO entity FROM merged_entity WHERE id >= $first AND id < $end ORDER BY id
"""

ADD_PROPERTIES = """
INSERT OR REPLACE INTO property
SELECT DISTINCT ON (id) id, label, description, aliases, datatype, $snapshot
FROM incoming_property
WHERE id NOT IN (
    SELECT p.id FROM property p JOIN snapshot s ON s.id = p.snapshot
    WHERE s.date > (SELECT date FROM snapshot WHERE id = $snapshot)
)
ORDER BY id, label, description, aliases, datatype
"""

MERGE_REDIRECTS = """
CREATE OR REPLACE TEMP TABLE merged_redirect AS
WITH older AS (
    SELECT id FROM snapshot WHERE date < (SELECT date FROM snapshot WHERE id = $snapshot)
)
FROM redirect WHERE snapshot NOT IN (FROM older)
UNION ALL
FROM (FROM redirect WHERE snapshot IN (FROM older)) r
ANTI JOIN incoming_redirect i ON i.source = r.source
UNION ALL
SELECT i.source, i.target, $snapshot
FROM incoming_redirect i
ANTI JOIN (SELECT source FROM redirect WHERE snapshot NOT IN (FROM older)) r ON r.source = i.source
"""

REPLACE_REDIRECTS = """
DELETE FROM redirect;
INSERT INTO redirect FROM merged_redirect ORDER BY source;
DROP TABLE merged_redirect;
"""

# Repeated facts are found by what nearly always tells facts apart: those that differ only in the
# rest are few, and the grouping parts them. Of two statements of one fact, the one that started
# first.
_FACTS_ONCE = """
    repeated AS MATERIALIZED (
        SELECT hash(s, p, o, value) AS key FROM fact_of_part GROUP BY key HAVING count(*) > 1
    ),
    once AS NOT MATERIALIZED (
        FROM fact_of_part WHERE hash(s, p, o, value) NOT IN (FROM repeated)
        UNION ALL
        FROM fact_of_part WHERE hash(s, p, o, value) IN (FROM repeated)
        QUALIFY row_number() OVER (
            PARTITION BY s, p, o, value, datatype, unit, precision, calendar, lower, upper
            ORDER BY start_time NULLS LAST, end_time NULLS LAST, rank
        ) = 1
    )
"""

INCOMING_SUBJECTS = "SELECT s FROM incoming_fact USING SAMPLE reservoir(10000 ROWS)"

# The facts, those that the store knows with their ids. Facts of one subject and property are told
# apart by a hash of the rest: a join by ten columns does not fit into little memory.
MATCHED_FACTS = f"""
WITH
    fact_of_part AS NOT MATERIALIZED (FROM incoming_fact WHERE s >= $first AND s < $end),
    {_FACTS_ONCE},
    stored AS NOT MATERIALIZED (
        SELECT
            id, s, p,
            hash(s, p, o, value, datatype, unit, precision, calendar, lower, upper) AS key
        FROM fact WHERE s >= $first AND s < $end
    )
SELECT i.*, f.id AS known
FROM once i
LEFT JOIN stored f
ON f.s = i.s
AND f.p = i.p
AND f.key = hash(
    i.s, i.p, i.o, i.value, i.datatype, i.unit, i.precision, i.calendar, i.lower, i.upper
)
"""

# The same, all at once, for a store that knows none.
CREATE_MATCHED_FACTS = f"""
CREATE TEMP VIEW matched_fact AS
WITH fact_of_part AS NOT MATERIALIZED (FROM incoming_fact), {_FACTS_ONCE}
SELECT *, NULL::BIGINT AS known FROM once
"""

DROP_MATCHED_FACTS = "DROP VIEW matched_fact"

COUNT_INCOMING_FACTS = """
SELECT (SELECT count(*) FROM incoming_fact), (SELECT count(*) FROM fact)
"""

COUNT_MATCHED_FACTS = "SELECT count(*) - count(known), count(known) FROM matched_fact"

COUNT_SNAPSHOT_FACTS = "SELECT count(*) FROM fact_snapshot WHERE snapshot = ?"

NEW_SUBJECTS = """
SELECT s FROM (SELECT s FROM matched_fact WHERE known IS NULL) USING SAMPLE reservoir(10000 ROWS)
"""

KNOWN_IDS = """
SELECT known FROM (SELECT known FROM matched_fact WHERE known IS NOT NULL)
USING SAMPLE reservoir(10000 ROWS)
"""

STAGED_FACTS = """
SELECT * EXCLUDE (known) FROM matched_fact i
WHERE known IS NULL AND s >= $first AND s < $end
ORDER BY i.s, i.p, i.o, i.value, i.datatype, i.unit, i.precision, i.calendar, i.lower, i.upper
"""

LAST_FACT = "SELECT coalesce(max(id), 0) FROM fact"

ADD_FACTS = """
INSERT INTO fact
SELECT
    $last + 1 + file_row_number,
    s, p, o, value, datatype, unit, precision, calendar, lower, upper
FROM staged_fact
"""

ADD_FACT_SNAPSHOTS = """
INSERT INTO fact_snapshot
SELECT $last + 1 + file_row_number, $snapshot, rank, start_time, end_time
FROM staged_fact
"""

ADD_KNOWN_FACT_SNAPSHOTS = """
INSERT INTO fact_snapshot
SELECT known, $snapshot, rank, start_time, end_time
FROM matched_fact WHERE known >= $first AND known < $end
ORDER BY known
"""
