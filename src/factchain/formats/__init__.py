"""Published datasets read into our records, and ours written in their layouts."""
