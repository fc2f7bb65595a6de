"""Text corpora -> passages."""
