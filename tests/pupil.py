"""A model of known knowledge for the evaluation: it says what is right where it knows it."""

from __future__ import annotations

import json
from collections.abc import Callable

from factchain.eval.prompts import Prompt
from factchain.questions.records import Question

WRONG = "Atlantis"
REFUSAL = "I do not know."
FAMILIAR = {"popular", "old"}


def one_line(text: str) -> str:
    """A question as it stands in a prompt."""
    return " ".join(text.split())


class Pupil:
    """Asks the given sub-questions in their order, and knows what its kind knows."""

    def __init__(self, questions: list[Question], knows: Callable[[set[str]], bool]) -> None:
        """`knows` says of a hop, by its labels on either axis, whether it is known."""
        self.questions = {one_line(question.question): question for question in questions}
        labels: dict[str, set[str]] = {}
        self.answers: dict[str, str] = {}
        for question in questions:
            for sub in question.sub_questions:
                labels.setdefault(one_line(sub.question), set()).add(str(sub.label))
                self.answers[one_line(sub.question)] = sub.answer.label
        self.familiar = {text for text, of_hop in labels.items() if knows(of_hop)}
        for question in questions:
            if question.type != "null":
                text = one_line(question.question)
                self.answers[text] = (question.full_answer or question.answer).label
                if {one_line(sub.question) for sub in question.sub_questions} <= self.familiar:
                    self.familiar.add(text)
        self.unanswerable = {one_line(q.question) for q in questions if not q.answerable}

    def known(self, text: str) -> str | None:
        """The right answer, where it is known; of a question, where all of its hops are."""
        return self.answers[text] if text in self.familiar else None

    def says(self, text: str) -> str:
        """Its answer to a question; it refuses those without one."""
        return REFUSAL if text in self.unanswerable else self.known(text) or WRONG

    def is_certain(self, text: str) -> bool:
        return self.known(text) is not None

    def choice(self, prompt: Prompt) -> str:
        """The right letter by the labels; decisions are no matter of knowledge."""
        question = self.questions[prompt.question]
        if prompt.kind == "completion":
            return "A" if len(prompt.steps) == question.hops else "B"
        if prompt.kind == "step-strategy":
            return "A" if question.labels[len(prompt.steps) - 1] in FAMILIAR else "B"
        if question.hops > 1:
            return "A"
        return "B" if question.labels[0] in FAMILIAR else "C"

    def letter(self, prompt: Prompt) -> str:
        """The letter of its answer; A is never right."""
        said = self.says(prompt.question)
        return next((a for a, option in prompt.options.items() if option == said), "A")

    def next(self, prompt: Prompt) -> str:
        subs = self.questions[prompt.question].sub_questions
        if len(prompt.steps) >= len(subs):
            return "finish"
        asked = subs[len(prompt.steps)].template
        for k, step in enumerate(prompt.steps, start=1):
            asked = asked.replace(f"#{k}", step.answer or "")
        return f"Next Subquestion: {asked}"

    def concludes(self, prompt: Prompt) -> str:
        return prompt.steps[-1].answer or ""

    def reply(self, prompt: Prompt) -> str:
        text = prompt.question
        if prompt.kind in ("strategy", "step-strategy", "completion"):
            return json.dumps({"choice": self.choice(prompt)})
        if prompt.kind == "next":
            return self.next(prompt)
        if prompt.kind == "final":
            return self.concludes(prompt)
        if prompt.kind in ("option", "think-option"):
            return f"The answer is: ({self.letter(prompt)})"
        if prompt.kind == "think":
            return f"Let me think.\nThe answer is: {self.says(text)}"
        if prompt.kind == "supported":
            documents = list(range(1, len(prompt.documents) + 1))
            return json.dumps({"answer": self.says(text), "documents": documents})
        if prompt.kind == "confident":
            confidence = "certain" if self.is_certain(text) else "uncertain"
            return f"Answer: {self.says(text)}\nConfidence: {confidence}"
        return self.says(text)
