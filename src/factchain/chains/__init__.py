"""The triple store -> fact chains."""
