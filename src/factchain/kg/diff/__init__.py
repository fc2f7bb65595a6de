"""Snapshots compared."""
