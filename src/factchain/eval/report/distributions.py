"""How the questions and facts are distributed: figures drawn from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise

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
Named = tuple[str, str]
"""An id and its label."""

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


def properties_in_facts(questions: Iterable[Question]) -> Figure:
    """MINTQA's figure 7: how often the most frequent properties occur in the facts of questions."""
    tally: Counter[Named] = Counter()
    for question in questions:
        for sub in question.sub_questions:
            tally.update((fact.p, fact.p_label) for fact in sub.facts)
            tally.update((p, p) for _, p, _ in sub.triples)
    return _most_frequent("properties", "property", "Property", "Facts", tally)


def entities_in_facts(questions: Iterable[Question]) -> Figure:
    """MINTQA's figure 6: in how many questions the most frequent entities occur."""
    tally: Counter[Named] = Counter()
    for question in questions:
        facts = [fact for sub in question.sub_questions for fact in sub.facts]
        named = {(fact.s, fact.s_label) for fact in facts}
        named |= {(fact.o, fact.o_label) for fact in facts if fact.o is not None}
        named |= {
            (text, text)
            for sub in question.sub_questions
            for subject, _, object_ in sub.triples
            for text in (subject, object_)
        }
        tally.update(named)
    return _most_frequent("entities", "entity", "Entity", "Questions", tally)


def _most_frequent(
    plural: str, singular: str, column: str, what: str, tally: Mapping[Named, int]
) -> Figure:
    """Bars of the most frequent, and how many there are; one of several names counts by its id."""
    names: dict[str, str] = {}
    by_id: Counter[str] = Counter()
    for (key, name), n in sorted(tally.items()):
        names.setdefault(key, name)
        by_id[key] += n
    top = sorted(by_id, key=lambda key: (-by_id[key], key))[:TOP]
    once = sum(n == 1 for n in by_id.values())
    return Figure(
        f"The most frequent of the {len(by_id):,} {plural} in the facts of questions; {once:,} "
        "occur once.",
        (
            bar_chart(
                f"{plural}-in-facts",
                f"{what}, by {singular}",
                f"{what} by {singular}.",
                [BarGroup("", tuple(Bar(names[key], by_id[key]) for key in top))],
                counts(max(by_id.values(), default=0)),
            ),
        ),
        Table(
            (column, "Id", what),
            tuple((names[key], key, f"{by_id[key]:,}") for key in top),
            frozenset({what}),
        ),
    )


def questions_and_facts(questions: Sequence[Question]) -> list[Figure]:
    """What is asked: label patterns, and the entities and properties of the facts."""
    figures = [questions_by_pattern(questions)] if questions else []
    if any(sub.facts or sub.triples for one in questions for sub in one.sub_questions):
        figures += [entities_in_facts(questions), properties_in_facts(questions)]
    return figures


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
