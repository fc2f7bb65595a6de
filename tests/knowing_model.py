"""A stand-in for a language model that writes by rule, and reads because it knows the chains.

It writes from the masked graph of the prompt alone. It reads by the questions that it would have
written: from facts it gives the gold answer where all facts of the question are among them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from factchain.chains.records import FactChain, Hop
from factchain.questions.model_checks.hops_read import READ_AS
from factchain.questions.names import EntityName
from factchain.questions.prompts import hops_read, reading, wording
from factchain.questions.prompts.wording import Worded
from factchain.questions.verbalize.form import read_wording
from factchain.questions.verbalize.masked import COUNTED, masked

CUES = {
    "earliest": "the earliest",
    "latest": "the latest",
    "smallest": "the smallest",
    "largest": "the largest",
    "before": "before",
    "after": "after",
    "less": "less than",
    "more": "more than",
    "same": "the same as",
    "difference": "the difference of",
    "sum": "the sum of",
    "product": "the product of",
    "years_between": "the number of years between",
    "days_between": "the number of days between",
    "years_before": "the date so many years before it, for",
    "years_after": "the date so many years after it, for",
}
Triple = tuple[str, str, str]


def write(graph: Mapping[str, Any]) -> dict[str, Any]:
    """A question and its sub-questions, from a masked graph."""
    nouns: dict[str, str] = {}
    texts = []
    for hop in graph["hops"]:
        references = {f"x{k}": f"#{k}" for k in hop["needs"]}
        texts.append({"hop": hop["hop"], "text": f"What is {_noun(hop, references)}?"})
        nouns[hop["answer"]] = _noun(hop, nouns)
    return {"question": f"What is {nouns[hop['answer']]}?", "sub_questions": texts}


def _noun(hop: Mapping[str, Any], known: Mapping[str, str]) -> str:
    def said(term: str) -> str:
        return known.get(term, term)

    facts = [(said(f["subject"]), f["property"], said(f["object"])) for f in hop["facts"]]
    operator = hop.get("operation", {}).get("name")
    if hop["kind"] == "lookup":
        return f"the {facts[0][1]} of {facts[0][0]}"
    if hop["kind"] == "intersect":
        return "the one that has " + " and also ".join(
            f"the {p} {o}" if s == hop["answer"] else f"the role of {p} for {s}"
            for s, p, o in facts
        )
    if hop["kind"] == "count":
        s, p, o = facts[0]
        return f"the number of {p} of {s}" if o == COUNTED else f"the number with the {p} {o}"
    if not facts:
        terms = [said(term) for term in hop["operation"]["of"]]
        return f"{CUES[operator]} {' and '.join(terms)}"
    if len(facts) == 2 and facts[0][2].startswith("each"):
        return f"{CUES[operator]} {facts[1][1]} among all {facts[0][1]} of {facts[0][0]}"
    (a, p, _), (b, _, _) = facts
    return f"the one of {a} and {b}, by {p}: {CUES[operator]}"


class KnowingModel:
    """Answers requests of every prompt, by the bodies that a server gets."""

    def __init__(self, chains: Iterable[FactChain], names: Mapping[str, EntityName]) -> None:
        self._answers: dict[str, str] = {}
        self._facts: dict[str, set[Triple]] = {}
        self._hops: dict[str, list[dict[str, str]]] = {}
        for chain in chains:
            reply = Worded.model_validate(write(masked(chain, names, {})))
            said, problems = read_wording(chain, reply, names)
            if said is None:
                continue
            assert not problems
            for hop, question in zip(chain.hops, said.sub_questions, strict=True):
                self._answers[question] = hop.answer.label
                self._facts.setdefault(question, set())
            self._answers[said.question] = chain.hops[-1].answer.label
            self._facts[said.question] = {
                (fact.s_label, fact.p_label, fact.o_label)
                for hop in chain.hops
                for fact in hop.facts
            }
            self._hops[said.question] = [hop for one in chain.hops for hop in _read(one)]

    def answer(self, system: str, user: str) -> dict[str, Any]:
        """The reply to two messages."""
        data = [json.loads(text) for text in re.findall(r"```json\n(.*)\n```", user)]
        if system.startswith(wording.SYSTEM[:40]):
            graphs = [one for one in data if isinstance(one, dict) and "hops" in one]
            return write(graphs[-1])
        if system.startswith(hops_read.SYSTEM[:40]):
            return {"hops": self._hops.get(data[1], [])}
        if system.startswith(reading.CLOSED_BOOK):
            return {"answer": self._answers.get(user, "")}
        facts, question = data
        given = {(one["subject"], one["property"], one["object"]) for one in facts}
        if question not in self._answers or not self._facts[question] <= given:
            return {"sufficient": False, "answer": ""}
        return {"sufficient": True, "answer": self._answers[question]}

    def of_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to the body of a request, for a server."""
        system, user = (message["content"] for message in body["messages"][:2])
        return self.answer(system, user)


def _read(hop: Hop) -> list[dict[str, str]]:
    """What a good reader lists for a hop."""
    operator = hop.operation.operator if hop.operation else "none"
    operation = READ_AS.get(operator, operator)
    ids = list(dict.fromkeys(fact.p for fact in hop.facts)) or ["none"]
    if hop.kind == "intersect" and len(hop.facts) > len(ids):
        ids = [fact.p for fact in hop.facts]
    return [{"property": p, "operation": operation} for p in ids]
