"""The bundled sample: readable tables and passages, rendered to dumps."""
