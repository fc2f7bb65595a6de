"""Wikidata JSON dumps -> snapshots."""
