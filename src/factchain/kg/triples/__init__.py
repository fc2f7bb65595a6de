"""Triples of any graph -> snapshots."""
