"""Scores and a workspace -> one HTML file."""
