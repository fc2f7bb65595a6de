"""factchain: multi-hop question answering benchmarks from a knowledge graph."""

__version__ = "0.1.0"
