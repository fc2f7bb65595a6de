"""Triples in words -> facts of the graph."""
