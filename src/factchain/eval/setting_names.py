"""What a setting is called in tables and figures, and where it stands among others."""

from __future__ import annotations

_ORDER = (
    *("parametric", "retrieval", "sub_questions", "decomposition", "dynamic_retrieval", "probe"),
    *("stepwise", "strategy", "unanswerable"),
)
_TASKS = {
    ("parametric", "open"): "",
    ("parametric", "options"): "Options",
    ("retrieval", "open"): "",
    ("strategy", "question"): "How to answer a question",
    ("strategy", "sub-question"): "How to answer a sub-question",
    ("strategy", "synthesis"): "When to conclude",
    ("sub_questions", "generated"): "Own sub-questions",
    ("sub_questions", "given"): "Given sub-questions",
    ("decomposition", "generated"): "Own sub-questions",
    ("decomposition", "given"): "Given sub-questions",
    ("dynamic_retrieval", "generated"): "Own sub-questions, where uncertain",
    ("dynamic_retrieval", "given"): "Given sub-questions, where uncertain",
    ("probe", "parts"): "Probe",
    ("stepwise", "gold-open"): "Each hop, gold inputs",
    ("stepwise", "own-open"): "Each hop, own inputs",
    ("unanswerable", "detector"): "Unanswerable questions",
    ("unanswerable", "judge"): "Unanswerable questions, judged",
    ("stepwise", "gold-options"): "Each hop, options",
}
_STEP_BY_STEP = "-think"
_NONE = "none"

Setting = tuple[str, ...]
"""Task, mode and context."""


def setting_order(setting: Setting) -> tuple[object, ...]:
    """Sort key of settings: whole questions first, gold passages last."""
    task, mode, context = setting
    place = _ORDER.index(task) if task in _ORDER else len(_ORDER)
    return place, task, mode, context == "gold", context


def setting_name(task: str, mode: str, context: str) -> str:
    """`Own sub-questions, BM25, top 5`; one without passages says so only if nothing else is."""
    done = mode.removesuffix(_STEP_BY_STEP)
    parts = [
        _TASKS.get((task, done), f"{task}, {done}"),
        "" if context == _NONE else context_name(context),
        "step by step" if mode.endswith(_STEP_BY_STEP) else "",
    ]
    named = [part for part in parts if part]
    if not _TASKS.get((task, done), " ") and context == _NONE:
        named.insert(0, context_name(context))
    text = ", ".join(named)
    return text[:1].upper() + text[1:]


def context_name(context: str) -> str:
    """What stood before a question, in words: `bm25@10` -> `BM25, top 10`."""
    kind, _, top_k = context.partition("@")
    fixed = {_NONE: "No passages", "gold": "gold passages"}
    if kind in fixed:
        return fixed[kind]
    return f"{kind.upper() if kind.endswith('bm25') else kind}, top {top_k or 5}"
