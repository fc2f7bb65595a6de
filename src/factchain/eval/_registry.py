"""What `inspect eval factchain/...` finds: the entry point that Inspect loads."""

from factchain.eval.baseline import BuiltInModels
from factchain.eval.decomposition import decomposition, sub_questions
from factchain.eval.dynamic_retrieval import dynamic_retrieval
from factchain.eval.parametric import parametric
from factchain.eval.probes import probe
from factchain.eval.retrieval_qa import retrieval
from factchain.eval.stepwise import stepwise
from factchain.eval.strategy import strategy
from factchain.eval.unanswerable import unanswerable

__all__ = [
    "BuiltInModels",
    "decomposition",
    "dynamic_retrieval",
    "parametric",
    "probe",
    "retrieval",
    "stepwise",
    "strategy",
    "sub_questions",
    "unanswerable",
]
