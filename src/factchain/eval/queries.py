"""The SQL of the evaluation: hits that are kept (`kept_hits.py`)."""

MAKE_HITS = """
CREATE TABLE IF NOT EXISTS hits (
    corpus TEXT, k INTEGER, version TEXT, query TEXT, passages TEXT,
    PRIMARY KEY (corpus, k, version, query)
) WITHOUT ROWID
"""
FIND_HITS = "SELECT passages FROM hits WHERE corpus = ? AND k = ? AND version = ? AND query = ?"
KEEP_HITS = "INSERT OR IGNORE INTO hits VALUES (?, ?, ?, ?, ?)"
