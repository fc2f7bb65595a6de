"""A question's chain as lines of text that a reviewer reads."""

from __future__ import annotations

from factchain.questions.records import Question, SubQuestion


def draw_chain(question: Question) -> str:
    """One block a hop: where it starts, what it does, the facts, and its answer.

    ```
    (1) lookup
        Radium - discoverer or inventor - Marie Curie
        = Marie Curie
    (1) -> (2) lookup
        ...
    ```
    """
    return "\n".join(_block(hop) for hop in question.sub_questions)


def _block(hop: SubQuestion) -> str:
    inputs = " + ".join(f"({number})" for number in hop.inputs)
    start = f"{inputs} -> ({hop.index})" if inputs else f"({hop.index})"
    done = f"{hop.kind}: {hop.operation.operator}" if hop.operation else hop.kind
    facts = [
        *((fact.s_label, fact.p_label, fact.o_label) for fact in hop.facts),
        *hop.triples,
    ]
    lines = [f"    {one_line(s)} - {one_line(p)} - {one_line(o)}" for s, p, o in facts]
    return "\n".join([f"{start} {done}", *lines, f"    = {one_line(hop.answer.label)}"])


def one_line(text: str) -> str:
    """`text` with single spaces."""
    return " ".join(text.split())
