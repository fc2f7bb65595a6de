"""How the questions and facts are distributed: figures drawn from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby, pairwise

from factchain.chains.records import FactChain
from factchain.eval.report.figures import Bar, BarGroup, bar_chart, counts
from factchain.eval.report.records import StoreStatistics
from factchain.eval.report.tables import (
    AXES,
    Figure,
    Table,
    glyphs,
    hops_in_words,
    pattern_order,
    span,
)
from factchain.kg.popularity import PopularityBounds
from factchain.questions.records import Question

TOP = 20
ROUND_EDGES = (1, 2, 3, 4, 5, *(f * 10**e for e in range(1, 12) for f in (1, 2, 5)))


def questions_by_pattern(questions: Iterable[Question]) -> Figure:
    """Questions by axis, hops and label pattern; one drawing for each axis."""
    tally = Counter((q.axis, q.hops, q.labels) for q in questions)
    order = sorted(tally, key=lambda key: (AXES.index(key[0]), key[1], pattern_order(key[2])))
    scale = counts(max(tally.values(), default=0))
    panels = []
    for axis, of_axis in groupby(order, key=lambda key: key[0]):
        groups = [
            BarGroup(
                hops_in_words(hops),
                tuple(Bar(glyphs(key[2]) or "no label", tally[key]) for key in keys),
            )
            for hops, keys in groupby(of_axis, key=lambda key: key[1])
        ]
        title = f"Axis: {axis}"
        shows = f"Questions on the axis {axis} by hops and label pattern."
        panels.append(bar_chart(f"questions-{axis}", title, shows, groups, scale))
    return Figure(
        "Questions by axis, hops and label pattern. A disc ● stands for a popular or old hop, a "
        "ring ○ for an unpopular or new one, in the order of the hops.",
        tuple(panels),
        Table(
            ("Axis", "Hops", "Label pattern", "Questions"),
            tuple(
                (axis, str(hops), ", ".join(labels) or "no label", f"{tally[axis, hops, labels]:,}")
                for axis, hops, labels in order
            ),
            frozenset({"Hops", "Questions"}),
        ),
    )


def question_matrix(questions: Iterable[Question]) -> Table:
    """Questions by axis (rows) and hops (columns), with sums."""
    tally = Counter((q.axis, q.hops) for q in questions)
    hops = sorted({key[1] for key in tally})
    axes = [axis for axis in AXES if any(key[0] == axis for key in tally)]

    def row(name: str, cells: list[int]) -> tuple[str, ...]:
        return (name, *(f"{cell:,}" for cell in cells), f"{sum(cells):,}")

    rows = [row(axis, [tally[axis, n] for n in hops]) for axis in axes]
    rows.append(row("all", [sum(tally[axis, n] for axis in axes) for n in hops]))
    head = ("Axis", *map(hops_in_words, hops), "All")
    return Table(head, tuple(rows), frozenset(head[1:]))


def popularity_bins(
    histogram: Mapping[int, int], bounds: PopularityBounds | None
) -> list[tuple[str, str, int]]:
    """Sum facts over ranges of passage counts: (class, range, facts), none across a bound."""
    largest = max(histogram)
    edges = {edge for edge in ROUND_EDGES if edge <= largest} | {min(histogram)}
    if bounds is not None:
        starts = (bounds.unpopular_min, bounds.unpopular_max + 1, bounds.popular_min)
        edges |= {start for start in starts if start <= largest}
    bins = []
    for low, after in pairwise([*sorted(edges), largest + 1]):
        if bounds is None:
            kind = ""
        elif bounds.unpopular_min <= low <= bounds.unpopular_max:
            kind = "unpopular"
        else:
            kind = "popular" if low >= bounds.popular_min else "unlabelled"
        facts = sum(n for count, n in histogram.items() if low <= count < after)
        bins.append(
            (kind, str(low) if after == low + 1 else span(f"{low:,}", f"{after - 1:,}"), facts)
        )
    return bins


def facts_by_popularity(store: StoreStatistics) -> Figure:
    """Facts by how many passages state them, in the classes that the bounds make."""
    bins = popularity_bins(store.popularity, store.bounds)
    groups = [
        BarGroup(
            kind,
            tuple(
                Bar(where, facts, tone="second" if kind == "unlabelled" else "first")
                for _, where, facts in of_kind
            ),
        )
        for kind, of_kind in groupby(bins, key=lambda one: one[0])
    ]
    return Figure(
        "Facts by the number of distinct passages that state them. Facts that no passage states "
        "have no class.",
        (
            bar_chart(
                "facts-by-popularity",
                "Facts by passages",
                "Facts by the number of passages that state them.",
                groups,
                counts(max(facts for _, _, facts in bins)),
            ),
        ),
        Table(
            ("Class", "Passages", "Facts"),
            tuple((kind or "none", where, f"{facts:,}") for kind, where, facts in bins),
            frozenset({"Passages", "Facts"}),
        ),
    )


def properties_in_chains(chains: Iterable[FactChain]) -> Figure:
    """How often the most frequent properties occur in chains."""
    facts = [fact for chain in chains for hop in chain.hops for fact in hop.facts]
    names = {fact.p: fact.p_label for fact in facts}
    tally = Counter(fact.p for fact in facts)
    top = sorted(tally, key=lambda p: (-tally[p], p))[:TOP]
    return Figure(
        f"The most frequent of the {len(tally):,} properties in chains.",
        (
            bar_chart(
                "properties-in-chains",
                "Facts in chains, by property",
                "Facts in chains by property.",
                [BarGroup("", tuple(Bar(names[p], tally[p]) for p in top))],
                counts(max(tally.values(), default=0)),
            ),
        ),
        Table(
            ("Property", "Id", "Facts in chains"),
            tuple((names[p], p, f"{tally[p]:,}") for p in top),
            frozenset({"Facts in chains"}),
        ),
    )


def answers_by_class(classes: Mapping[str, int]) -> Figure:
    """Questions by the class of their answer."""
    top = sorted(classes, key=lambda name: (-classes[name], name))[:TOP]
    return Figure(
        f"The most frequent of the {len(classes):,} classes of answers.",
        (
            bar_chart(
                "answers-by-class",
                "Questions, by class of answer",
                "Questions by class of the answer.",
                [BarGroup("", tuple(Bar(name, classes[name]) for name in top))],
                counts(max(classes.values())),
            ),
        ),
        Table(
            ("Class", "Questions"),
            tuple((name, f"{classes[name]:,}") for name in top),
            frozenset({"Questions"}),
        ),
    )
