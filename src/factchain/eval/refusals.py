"""Does a reply answer, refuse, or ask back: a detector by patterns, which needs no model.

It reads a reply sentence by sentence. A refusal says that it does not know or cannot tell, or that
the documents or the information do not suffice. What is quoted is a title, not a statement. A guess
after a refusal, introduced by "but" or "however" or stated as "the answer is", is an answer; so is
a bare name before a caveat. Documents that do not say make a refusal; a question back to the asker
asks for clarification, whatever else the reply says, unless an answer stands beside it.

English only, and blind to what is put otherwise: `unanswerable.py` can ask a judge instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from factchain.eval.replies import without_thoughts

Verdict = Literal["answered", "refused", "clarification", "unparsed"]
"""`unparsed` is a reply without any word, or a judge's reply that cannot be read."""

ANSWERED: Verdict = "answered"
REFUSED: Verdict = "refused"
CLARIFICATION: Verdict = "clarification"

BARE = frozenset(
    """
    unknown | not known | none | nothing | n/a | na | no answer | not applicable | not available
    not stated | not specified | not mentioned | not given | not provided | not found | no data
    unanswerable | undetermined | indeterminate | undefined | unsure | uncertain | idk | no idea
    insufficient information | insufficient evidence | insufficient context | insufficient data
    not enough information | no information | the answer is unknown | it is unknown | unclear
    sorry | no comment
    """.replace("\n", "|").split("|")
)
BARE = frozenset(" ".join(one.split()) for one in BARE if one.strip())
"""Replies that refuse where they are the whole reply, or all that is stated as the answer."""

_SOURCES = (
    r"(?:documents?|passages?|contexts?|texts?|sources?|articles?|excerpts?|corpus|data|"
    r"information|knowledge base|database|evidence|steps?|material|snippets?|records?)"
)
_LACK = (
    r"(?:information|evidence|data|details?|context|documents?|passages?|knowledge|basis|facts?|"
    r"clues?|mention|record)"
)
_TELL = (
    r"(?:say|state|mention|contain|provide|specify|include|give|tell|name|identify|indicate|"
    r"disclose|reveal|list|answer|address|cover|support|allow|suffice|show|describe|discuss|"
    r"report|establish|hold)"
)
_FIND_OUT = (
    r"(?:answer|determine|say|tell|identify|find|infer|establish|confirm|verify|provide|deduce|"
    r"conclude|ascertain|specify|name|locate|derive|give|know|resolve|help|assist|comply|be "
    r"(?:answered|determined|identified|established|inferred|found|known|verified|confirmed|"
    r"deduced|derived|resolved))"
)
REFUSALS = (
    r"\bI (?:really |simply |honestly |just )?(?:do not|don't|did not|didn't) (?:actually |"
    r"currently )?(?:know|have (?:the |any |enough |sufficient |that |this |access))\b",
    r"\bI(?: have|'ve)? (?:no idea|no way of knowing|no knowledge)\b",
    r"\bI(?: am|'m) (?:sorry|afraid|unable|not able|not sure|unsure|not certain|uncertain|"
    r"not aware|unaware)\b",
    rf"\b(?:can ?not|can't|could not|couldn't|unable to|not possible to|impossible to|no way to|"
    rf"not able to|fail(?:ed)? to|must decline to|refuse to|won't|will not)"
    rf"(?: \w+ly)? {_FIND_OUT}\b",
    rf"\b{_SOURCES}(?: \w+){{0,4}} (?:do|does|did)(?: not|n't)(?: \w+ly)? {_TELL}\b",
    rf"\b(?:no|none|neither)(?: of the| of these)?(?: \w+)? {_SOURCES}(?: \w+)? {_TELL}s?\b",
    rf"\b(?:no|not enough|insufficient|too little|lack of|without enough|without sufficient|"
    rf"not sufficient|inadequate)(?: \w+)? {_LACK}\b",
    rf"\b{_LACK} (?:is|are|was|were) (?:\w+ly )?(?:insufficient|not sufficient|not enough|missing|"
    rf"lacking|not available|unavailable|not in the)\b",
    r"\b(?:is|are|was|were)(?: not|n't) (?:\w+ly )?(?:mentioned|stated|provided|given|specified|"
    r"available|known|named|identified|listed|included|found|answerable|disclosed|documented|"
    r"indicated|recorded|contained|covered|addressed)\b",
    r"\b(?:is|are|remains?) (?:unknown|unclear|undetermined|unspecified|unavailable|"
    r"unanswerable|indeterminate)\b",
    r"\bunanswerable\b",
    r"\b(?:beyond|outside) my knowledge\b",
    r"\b(?:does not|doesn't|did not|didn't) (?:exist|have an answer|have a known answer)\b",
    r"\bno (?:answer|such|one (?:knows|is known))\b",
)
"""What a sentence that refuses holds, in any case."""

ASKING_BACK = (
    r"\b(?:could|can|would|will) you (?:please |kindly |perhaps )?(?:clarify|specify|provide|"
    r"explain|tell me|elaborate|give|share|be more specific|rephrase|confirm|say)\b",
    r"\bplease (?:clarify|specify|provide|explain|elaborate|rephrase|be more specific|tell me|"
    r"share|confirm|give)\b",
    r"\b(?:do|did|are) you (?:mean|refer|asking|referring|talking)\b",
    r"\bwhich (?:\w+ ){0,6}(?:do|did|are) you (?:mean|refer|asking|referring|interested)\b",
    r"\bwhat (?:exactly )?do you mean\b",
    r"\b(?:need|require)s? (?:further |more |additional |some )?(?:clarification|specifics)\b",
    r"\bnot sure (?:which|what|who)\b.*\byou (?:mean|refer|are asking|are referring)\b",
)
"""What a sentence that asks back holds."""

_REFUSES = re.compile("|".join(REFUSALS), re.IGNORECASE)
_ASKS_BACK = re.compile("|".join(ASKING_BACK), re.IGNORECASE)
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|(?<!\w)'[^'\n]{2,}'(?!\w)|\*[^*\n]+\*|_[^_\n]+_"
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\s)\]]+|\n+|;\s+")
_STATED = re.compile(r"\b(?:the |my |final )*answer(?: is|:)\s*[:：]?\s*(.+)", re.IGNORECASE)
_TURN = re.compile(
    r"(?:^|[,;:—-]\s*|\s)(?:but|however|that said|still|nevertheless|nonetheless|although|though|"
    r"if I (?:had|have) to guess|my best guess|best guess)\b[,:]?\s*(.*)",
    re.IGNORECASE,
)
_CLAIMS = re.compile(
    r"\b(?:is|are|was|were|would be|might be|may be|could be|should be|guess|likely|probably|"
    r"presumably|perhaps|possibly|believe|think|suspect|suggests?)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|do|does|did|has|have|had|can|could|would|will|not|know|sorry|"
    r"unfortunately|apolog\w+|based|given|according|thank\w*|regarding|note)\b",
    re.IGNORECASE,
)
_YES = re.compile(r"yes\b", re.IGNORECASE)
_CONCESSION = re.compile(r",?\s(?:even )?(?:though|although)\b", re.IGNORECASE)
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "and",
        "or",
        "but",
        "with",
        "from",
        "by",
    ]
)
_SHORTEST_TITLE = 5
"""Words of an unquoted title that is taken for one by its capitals."""
_LONGEST_NAME = 6
"""Words of a bare name before a caveat."""


def verdict(reply: str) -> Verdict:
    """Whether a reply answers, refuses or asks back; `unparsed` where it has no word."""
    text = _plain(reply)
    if not re.search(r"\w", text):
        return "unparsed"
    if _bare(text) in BARE:
        return REFUSED
    sentences = list(_sentences(text))
    if _answers(sentences):
        return ANSWERED
    if any(_ASKS_BACK.search(one) for one in sentences):
        return CLARIFICATION
    if any(_refuses(one) for one in sentences):
        return REFUSED
    return ANSWERED


def says_insufficient(reply: str) -> bool:
    """Whether a reply refuses in so many words, though it may ask back as well.

    For a question whose evidence the corpus does not hold this is acceptable; a bare request for
    clarification is not (SPEC.md 1.12).
    """
    text = _plain(reply)
    if verdict(reply) == CLARIFICATION:
        return any(_refuses(one) and not _ASKS_BACK.search(one) for one in _sentences(text))
    return verdict(reply) == REFUSED


def _plain(reply: str) -> str:
    """The reply without thoughts, with straight apostrophes."""
    return without_thoughts(reply).replace("’", "'").strip()


def _sentences(text: str) -> Iterator[str]:
    """Its sentences without what is quoted, none of them empty."""
    for sentence in _SENTENCE_END.split(text):
        if re.search(r"\w", sentence):
            yield _QUOTED.sub("…", sentence).strip()


def _refuses(sentence: str) -> bool:
    if _is_title(sentence):
        return False
    return bool(_REFUSES.search(sentence)) or _bare(sentence) in BARE


def _answers(sentences: list[str]) -> bool:
    """Whether an answer stands beside the refusals and the questions back; one without either is
    no matter of this."""
    told = [one for one in sentences if _refuses(one) or _ASKS_BACK.search(one)]
    if not told:
        return True
    first = sentences[0]
    if first not in told and len(first.split()) <= _LONGEST_NAME and not _VERB.search(first):
        return not first.endswith(("?", ":"))
    if _YES.match(first):
        return True
    for number, sentence in enumerate(sentences):
        stated = _STATED.search(sentence)
        if stated and not _refuses(stated[1]) and not _refuses(sentence):
            return True
        main, *conceded = _CONCESSION.split(sentence, maxsplit=1)
        if conceded and _CLAIMS.search(main) and not _refuses(main):
            return True
        turn = _TURN.search(sentence)
        after_refusal = any(_refuses(one) for one in sentences[: number + 1])
        if turn and after_refusal and _CLAIMS.search(turn[0]) and not _refuses(turn[1]):
            return True
    return False


def _is_title(sentence: str) -> bool:
    """Whether every word but the small ones begins with a capital, as in a song's name."""
    words = [word for word in sentence.split() if word.lower() not in _SMALL_WORDS]
    return len(words) >= _SHORTEST_TITLE and all(word[0].isupper() for word in words)


def _bare(text: str) -> str:
    """Lower-case words with single spaces, without punctuation around."""
    said = _STATED.sub(lambda match: match[1], text) if text.count("\n") == 0 else text
    return " ".join(said.strip(" .!*\"'`()[]…\n").lower().split())
