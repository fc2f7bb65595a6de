"""The facts of a snapshot as arrays."""
