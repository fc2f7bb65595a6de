"""The triple store -> passages, gold passages, retrievers."""
