"""What settings are called."""

from __future__ import annotations

import pytest

from factchain.eval.setting_names import setting_name


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        (("parametric", "open", "none"), "No passages"),
        (("parametric", "open-think", "none"), "No passages, step by step"),
        (("parametric", "options-think", "none"), "Options, step by step"),
        (("retrieval", "open", "bm25"), "BM25, top 5"),
        (("retrieval", "open", "bm25@10"), "BM25, top 10"),
        (("retrieval", "open", "dense:m"), "Dense:m, top 5"),
        (("retrieval", "open", "gold"), "Gold passages"),
        (("decomposition", "given", "gold"), "Given sub-questions, gold passages"),
        (("stepwise", "own-open", "none"), "Each hop, own inputs"),
        (("strategy", "synthesis", "none"), "When to conclude"),
        (("quiz", "fast", "none"), "Quiz, fast"),
    ],
)
def test_a_setting_in_words(setting: tuple[str, str, str], name: str) -> None:
    assert setting_name(*setting) == name
