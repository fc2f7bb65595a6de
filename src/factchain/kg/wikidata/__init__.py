"""Slices of Wikidata, fetched from its service."""
