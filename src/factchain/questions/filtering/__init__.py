"""Which questions stay: duplicates, an ensemble of models, polishing."""
