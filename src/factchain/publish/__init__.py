"""A dataset, ready to be published."""
