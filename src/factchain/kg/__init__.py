"""Wikidata dumps, text extractions, popularity and version diffs -> one DuckDB triple store."""
