"""Chains with hops that count, reckon and compare."""
