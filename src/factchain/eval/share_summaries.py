"""Accuracy by the share of familiar hops: MINTQA's table and heat maps (SPEC.md 4.6).

A familiar hop is popular or old. Shares are exact fractions, `2/3`, never rounded decimals. They go
together with the number of hops: n hops allow only k/n, so accuracy is given within one number of
hops, too; there, questions with a hop that has no label, such as a sum, are left out.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa

from factchain.eval.columns import Columns, Rows
from factchain.eval.results import NO_LABELS, ShareSummary, share_of
from factchain.eval.scores import SETTING
from factchain.eval.statistics import interval

_NOT_OF_QUESTIONS = ("strategy", "stepwise")


def summarise_shares(scores: pa.Table) -> list[ShareSummary]:
    """By setting, axis and share, over all hops and within one number of them; the largest share
    first. Decisions and single hops are left out, and so are questions without labels."""
    columns = Columns(scores)
    found = []
    for setting, rows in columns.groups(SETTING):
        if setting["task"] in _NOT_OF_QUESTIONS:
            continue
        by_share: dict[tuple[str, int, Fraction], list[Rows]] = defaultdict(list)
        for group, members in columns.groups(("axis", "hops", "labels"), rows):
            if group["labels"] != NO_LABELS:
                share = -share_of(group["labels"])
                by_share[group["axis"], 0, share].append(members)
                if len(group["labels"].split("-")) == group["hops"]:
                    by_share[group["axis"], group["hops"], share].append(members)
        for (axis, hops, share), parts in sorted(by_share.items(), key=lambda one: one[0]):
            summary = _summary(columns, np.concatenate(parts))
            if summary:
                words = {"axis": axis, "hops": hops or None, "share": str(-share)}
                found.append(ShareSummary.model_validate(setting | words | summary))
    return found


def _summary(columns: Columns, rows: Rows) -> dict[str, float]:
    accuracy = columns.values("accuracy")[rows]
    scored = ~np.isnan(accuracy)
    if not scored.any():
        return {}
    low, high = interval(accuracy[scored], columns.codes("chain")[rows][scored])
    mean = float(accuracy[scored].mean())
    failed = int((~scored).sum())
    return {"n": int(scored.sum()), "failed": failed, "mean": mean, "low": low, "high": high}
