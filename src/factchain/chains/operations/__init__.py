"""Reckoning with typed values."""
