"""What a dataset's users must know: the responsible-AI statements of its Croissant metadata.

One set of statements serves the card and the metadata, under the names of the Croissant RAI
vocabulary 1.0 and, for synthetic data and provenance, of the fields that NeurIPS asks for since
2026. They say what holds for questions that factchain made; imported questions are said to be so.
"""

from __future__ import annotations

from collections.abc import Mapping

from factchain.publish.made_from import Making
from factchain.publish.statistics import Statistics

WIKIDATA = "https://www.wikidata.org/"
TEMPLATE = "template"

Statements = Mapping[str, str | list[str]]


def statements(seen: Statistics, making: Making | None) -> dict[str, str | list[str]]:
    """Every statement by its field, in the order in which they are read."""
    return {
        "dataCollection": _collection(seen, making),
        "dataCollectionType": _collection_types(seen),
        "dataPreprocessingProtocol": _preprocessing(seen),
        "dataAnnotationProtocol": _annotation(seen),
        "machineAnnotationTools": [
            f"{verbalizer} ({model})" if model else verbalizer
            for verbalizer, model in sorted(seen.makers)
        ],
        "dataUseCases": _use_cases(),
        "dataLimitations": limitations(seen, making),
        "dataBiases": _biases(seen),
        "personalSensitiveInformation": _personal(seen),
        "dataSocialImpact": (
            "Questions with proved answers make it cheap to measure whether a language model "
            "reasons over several facts or repeats what it has memorised. A high score says "
            "nothing of whether a model may be relied on in matters of health, law or money, and "
            "must not be presented as if it did."
        ),
        "dataReleaseMaintenancePlan": (
            "Facts change. Answers hold in the snapshot that each question names; a new snapshot "
            "calls for a new build, published under a new version. SHA256SUMS tells the files of "
            "this version."
        ),
    }


def limitations(seen: Statistics, making: Making | None) -> list[str]:
    """What the dataset cannot be used for, or does not hold."""
    found = []
    templates = sum(n for (verbalizer, _), n in seen.makers.items() if verbalizer == TEMPLATE)
    if templates:
        found.append(
            f"{templates:,} of {seen.questions:,} questions were put into words by templates: they "
            "are correct and unambiguous in what they ask, but uniform and sometimes stilted, and "
            "less varied than what people ask."
        )
    if any(model for _, model in seen.makers):
        found.append(
            "Questions that a language model put into words were checked automatically; wording "
            "that is awkward or says more than the facts may have passed the checks."
        )
    if seen.imported:
        found.append(
            f"{seen.imported:,} of {seen.questions:,} questions were imported from another "
            "dataset; their answers are as that dataset gives them and were not proved here."
        )
    if seen.imported < seen.questions:
        found.append(
            "Answers are proved on the facts of a snapshot of the graph. Where Wikidata is wrong, "
            "incomplete or out of date, so is the answer; a question may have a further right "
            "answer that the graph does not know."
        )
        found.append("Passages are facts of the graph in words, not texts that people wrote.")
    if seen.unanswerable:
        found.append(
            f"{seen.unanswerable:,} questions cannot be answered from the passages: facts were "
            "withheld. They must not be scored against an answer from elsewhere."
        )
    if making is None:
        found.append("No manifest came with the data: how it was made is known in part only.")
    return found


def _collection(seen: Statistics, making: Making | None) -> str:
    if seen.imported == seen.questions:
        return "Imported from another dataset; see that dataset for how it was collected."
    told = (f" with factchain {making.version} and the seed {making.seed}" if making else "") + (
        f", snapshots {', '.join(sorted(seen.snapshots))}" if seen.snapshots else ""
    )
    return (
        "No people were asked and no web pages were read. Facts were taken from Wikidata, fact "
        f"chains were sampled from them{told}, and each chain was put into words as a question."
    )


def _collection_types(seen: Statistics) -> list[str]:
    return ["Others"] if seen.imported == seen.questions else ["Secondary Data analysis", "Others"]


def _preprocessing(seen: Statistics) -> list[str]:
    if seen.imported == seen.questions:
        return ["The records were brought into one layout; nothing was added."]
    return [
        "Of every subject and property only the best-ranked statements were kept, without those "
        "that had ended, unknown values and external identifiers.",
        "Chains are connected, acyclic, have one answer a hop, no shortcut between their ends, "
        "and none is part of another.",
        "Entities were linearized into passages; the gold passages of a hop are those that state "
        "its facts.",
    ]


def _annotation(seen: Statistics) -> list[str]:
    if not seen.checks:
        return ["No check was recorded."]
    told = ", ".join(f"{check} ({count:,})" for check, count in sorted(seen.checks.items()))
    return [f"Verified automatically; questions that passed each check: {told}."]


def _use_cases() -> list[str]:
    return [
        "Evaluation of multi-hop question answering, with and without retrieval.",
        "Evaluation of retrievers on questions that need several passages.",
        "Analysis by number of hops, topology, popularity and recency of the facts.",
        "Not meant as a source of facts about the world, nor to judge people that it names.",
    ]


def _biases(seen: Statistics) -> list[str]:
    if seen.imported == seen.questions:
        return ["Those of the dataset from which the questions were imported; see there."]
    found = [
        "Wikidata covers men, Europe and North America, and recent times better than the rest of "
        "the world; the questions inherit that.",
        "Labels are in one language and follow the usage of its Wikipedia.",
        "Chains were sampled evenly over shapes and labels, so the shares of topics and of numbers "
        "of hops are those of the sampling and not of what people ask.",
    ]
    return found


def _personal(seen: Statistics) -> list[str]:
    if seen.imported == seen.questions:
        return [
            "As in the dataset from which the questions were imported, which may name people; "
            "nothing was added here."
        ]
    return [
        "Names public facts about notable people, living ones among them, as Wikidata states "
        "them: birth, death, nationality, occupation, family and offices. No private persons are "
        "described, and nothing was collected from users."
    ]
