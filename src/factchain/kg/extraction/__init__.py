"""Facts stated by text passages."""
