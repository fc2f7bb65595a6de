"""What `inspect eval factchain/...` finds: the entry point that Inspect loads."""

from factchain.eval.baseline import BuiltInModels
from factchain.eval.parametric import parametric
from factchain.eval.retrieval_qa import retrieval

__all__ = ["BuiltInModels", "parametric", "retrieval"]
