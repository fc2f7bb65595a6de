"""The graph -> drafts of chains, evenly over strata."""
