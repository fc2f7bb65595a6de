"""Fact chains put into words."""
