"""Files that are published with a dataset as they are; they need no factchain."""
