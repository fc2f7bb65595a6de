"""Kinds of chains besides those that lead to an end: comparison, order in time, inference."""
