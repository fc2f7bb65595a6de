"""Questions that the corpus cannot answer: facts withheld, entities that do not exist."""
