"""What proves a chain: execution, constraints, checks."""
