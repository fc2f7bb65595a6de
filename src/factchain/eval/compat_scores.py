"""Scores of answers as published code reckons them, for reproducing its tables only.

Each function is named after where it comes from and differs from the plain score of
`questions.text_scores` in what its docstring says (SPEC.md 1.1-1.4, 1.6). Never mix the two in one
table.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from factchain.questions.text_scores import normalise

_YES_NO = frozenset({"yes", "no", "noanswer"})
_PUNCTUATION = re.escape(string.punctuation)
_QUOTED_ANSWER = re.compile(r'The answer to the question is "(.*?)"')


class Overlap(NamedTuple):
    """Token overlap of a prediction and a gold answer."""

    f1: float
    precision: float
    recall: float


_NONE = Overlap(0.0, 0.0, 0.0)


def normalise_hopweaver_bridge_compat(text: str) -> str:
    """Deletes what is neither a word character nor white space, then articles in any case, without
    a space in their place, then lower-cases."""
    text = re.sub(r"\b(a|an|the)\b", "", re.sub(r"[^\w\s]", "", text), flags=re.IGNORECASE)
    return " ".join(text.lower().split())


def normalise_hopweaver_comparison_compat(text: str) -> str:
    """As for HopWeaver's bridge questions, but an article goes only before white space."""
    text = re.sub(r"\b(a|an|the)\s", "", re.sub(r"[^\w\s]", "", text), flags=re.IGNORECASE)
    return " ".join(text.lower().split())


def normalise_when_to_retrieve_compat(text: str) -> str:
    """As SQuAD's, but punctuation becomes a space (Ni et al.)."""
    text = re.sub(f"[{_PUNCTUATION}]", " ", text.lower())
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def normalise_omanic_reward_compat(text: str) -> str:
    """In lower case, stripped of white space and punctuation at both ends, nothing else."""
    return text.lower().strip(string.whitespace + string.punctuation)


def normalise_two_wiki_evidence_compat(text: str) -> str:
    """As SQuAD's, but articles stay (2WikiMultihopQA's evidence)."""
    return " ".join(re.sub(f"[{_PUNCTUATION}]", "", text.lower()).split())


def overlap_hotpotqa_compat(prediction: str, gold: str) -> Overlap:
    """HotpotQA, 2WikiMultihopQA 1.0, DiRe: 0 where one side is yes, no or noanswer and the other
    differs, and 0 where both are empty."""
    said, wanted = normalise(prediction), normalise(gold)
    if said != wanted and (said in _YES_NO or wanted in _YES_NO):
        return _NONE
    return _overlap(said.split(), wanted.split())


def overlap_best_compat(prediction: str, golds: Sequence[str]) -> Overlap:
    """2WikiMultihopQA 1.1 (answer, aliases and demonyms) and FlashRAG: HotpotQA's, with the best
    F1, precision and recall each taken by itself, be it of different golds."""
    found = [overlap_hotpotqa_compat(prediction, gold) for gold in golds]
    return (
        Overlap(*(max(values, default=0.0) for values in zip(*found, strict=True)))
        if found
        else _NONE
    )


def f1_omanic_compat(prediction: str, gold: str) -> float:
    """One gold, no aliases, no rule for yes and no; 1 where both are empty."""
    said, wanted = normalise(prediction).split(), normalise(gold).split()
    if not said and not wanted:
        return 1.0
    return _overlap(said, wanted).f1


def f1_hopweaver_bridge_compat(prediction: str, gold: str) -> float:
    """Tokens as sets, so that repeats count once; 0 where both are empty."""
    clean = normalise_hopweaver_bridge_compat
    return _overlap(sorted(set(clean(prediction).split())), sorted(set(clean(gold).split()))).f1


def f1_hopweaver_comparison_compat(prediction: str, gold: str) -> float:
    """Shared tokens as a set, but over the lengths with repeats; 1 where both are empty."""
    said = normalise_hopweaver_comparison_compat(prediction).split()
    wanted = normalise_hopweaver_comparison_compat(gold).split()
    if not said and not wanted:
        return 1.0
    shared = len(set(said) & set(wanted))
    return _harmonic(shared / len(said), shared / len(wanted)) if shared else 0.0


def accuracy_popqa_compat(prediction: str, golds: Sequence[str]) -> float:
    """A gold stands in the prediction as it is, in lower case, or capitalised; the prediction is
    not lower-cased."""
    forms = (form for gold in golds for form in (gold, gold.lower(), gold.capitalize()))
    return float(any(form in prediction for form in forms))


def accuracy_flashrag_compat(prediction: str, golds: Sequence[str]) -> float:
    """A normalised gold stands in the normalised prediction, also inside a word; a gold that
    normalises to nothing always does."""
    said = normalise(prediction)
    return float(any(normalise(gold) in said for gold in golds))


def exact_match_curatedtrec_compat(prediction: str, patterns: Sequence[str]) -> float:
    """FlashRAG on CuratedTREC: golds are regular expressions that match the whole normalised
    prediction, in any case. Raises re.error for what is none."""
    said = normalise(prediction)
    return float(any(re.fullmatch(pattern, said, re.IGNORECASE) for pattern in patterns))


def correct_multihop_rag_compat(prediction: str, gold: str) -> float:
    """The quoted answer after its formula, or the whole text, shares a token with the gold, both
    in lower case and cut at white space; any token will do."""
    if "The answer" in prediction and (found := _QUOTED_ANSWER.search(prediction)):
        prediction = found[1]
    return float(bool(set(prediction.lower().split()) & set(gold.lower().split())))


def accuracy_multihop_rag_compat(share: float) -> float:
    """The accuracy that its script prints where a share p of the answers is right: 1 / (3 - 2p)."""
    return 1 / (3 - 2 * share)


def _overlap(said: Sequence[str], wanted: Sequence[str]) -> Overlap:
    shared = (Counter(said) & Counter(wanted)).total()
    if not shared:
        return _NONE
    precision, recall = shared / len(said), shared / len(wanted)
    return Overlap(_harmonic(precision, recall), precision, recall)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


OF_ANSWERS: dict[str, Callable[[str, Sequence[str]], float]] = {
    "f1_hotpotqa_compat": lambda said, golds: overlap_hotpotqa_compat(said, golds[0]).f1,
    "f1_best_compat": lambda said, golds: overlap_best_compat(said, golds).f1,
    "f1_omanic_compat": lambda said, golds: f1_omanic_compat(said, golds[0]),
    "f1_hopweaver_bridge_compat": lambda said, golds: f1_hopweaver_bridge_compat(said, golds[0]),
    "f1_hopweaver_comparison_compat": lambda said, golds: f1_hopweaver_comparison_compat(
        said, golds[0]
    ),
    "accuracy_popqa_compat": accuracy_popqa_compat,
    "accuracy_flashrag_compat": accuracy_flashrag_compat,
    "correct_multihop_rag_compat": lambda said, golds: correct_multihop_rag_compat(said, golds[0]),
}
"""Every score of a prediction against a label and its aliases, by its name."""
