"""Multiple choice: three wrong options from the graph for every hop and for the question."""
