"""Questions and corpus -> scores, as Inspect AI tasks."""
