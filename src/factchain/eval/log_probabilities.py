"""How sure a model is of an answer: the mean log-probability of the answer's tokens."""

from __future__ import annotations

from statistics import mean

from inspect_ai.model import ModelOutput


def answer_log_probability(output: ModelOutput, answer: str, after: str) -> float | None:
    """The mean over the tokens of `answer`, the first one that follows `after` in the reply.

    Over all tokens where the answer does not stand there word for word, such as one with escapes
    in JSON. None where the provider gives no log-probabilities.
    """
    given = output.choices[0].logprobs if output.choices else None
    if given is None or not given.content:
        return None
    text = "".join(token.token for token in given.content)
    mark = text.find(after)
    start = text.find(answer, mark + len(after) if mark >= 0 else 0) if answer else -1
    first, last = (start, start + len(answer)) if start >= 0 else (0, len(text))
    of_answer, begin = [], 0
    for token in given.content:
        end = begin + len(token.token)
        if begin < last and end > first:
            of_answer.append(token.logprob)
        begin = end
    return mean(of_answer) if of_answer else None
