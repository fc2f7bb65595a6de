"""factchain: multi-hop question answering benchmarks from a knowledge graph.

The short public API; everything else is imported from its module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from factchain.chains.records import FactChain
    from factchain.errors import FactchainError
    from factchain.kg.store import Store
    from factchain.pipeline import build, evaluate_workspace
    from factchain.questions.records import Question
    from factchain.records import read_records

__all__ = [
    "FactChain",
    "FactchainError",
    "Question",
    "Store",
    "build",
    "evaluate_workspace",
    "read_records",
]

_MODULES = {
    "FactChain": "factchain.chains.records",
    "FactchainError": "factchain.errors",
    "Question": "factchain.questions.records",
    "Store": "factchain.kg.store",
    "build": "factchain.pipeline",
    "evaluate_workspace": "factchain.pipeline",
    "read_records": "factchain.records",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for only then, so that `import factchain` is quick."""
    if name not in _MODULES:
        raise AttributeError(f"module 'factchain' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
