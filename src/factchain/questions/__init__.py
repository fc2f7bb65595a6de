"""Fact chains -> questions, verified."""
