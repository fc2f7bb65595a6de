"""A build's settings: YAML -> checked, every default documented."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from factchain.config_kg import KgConfig
from factchain.config_questions import QuestionsConfig, UnanswerableConfig
from factchain.config_section import Settings
from factchain.errors import ConfigError, OutputError
from factchain.files import write_text

EXAMPLE = "factchain.yaml"
FIRST_LINE = "# factchain build: run `factchain build THIS_FILE --out DIR`"


class SnapshotConfig(Settings):
    """One state of the knowledge graph."""

    dump: Path
    """A Wikidata JSON dump (.json, .json.gz, .json.bz2), relative to this file."""
    date: datetime.date
    """The day of the dump; facts that had ended by then are left out."""
    name: str = Field("", pattern=r"^[\w.-]*$")
    """Name of the snapshot, without spaces; its date if empty."""

    @property
    def title(self) -> str:
        """The name, or the date where there is none."""
        return self.name or self.date.isoformat()


class PopularityConfig(Settings):
    """How many passages make a fact unpopular or popular (MINTQA: 1-9, 50 and more)."""

    unpopular_min: int = Field(1, ge=0)
    """Fewest passages of an unpopular fact."""
    unpopular_max: int = Field(9, ge=0)
    """Most passages of an unpopular fact."""
    popular_min: int = Field(50, ge=1)
    """Fewest passages of a popular fact."""

    @model_validator(mode="after")
    def _in_order(self) -> PopularityConfig:
        if not self.unpopular_min <= self.unpopular_max < self.popular_min:
            raise ValueError("the bounds must rise: unpopular_min, unpopular_max, popular_min")
        return self


class ChainsConfig(Settings):
    """Drawing fact chains."""

    axes: tuple[Literal["popularity", "recency", "none"], ...] = ("popularity", "recency")
    """What hops are labelled by: popularity needs passages, recency needs two snapshots."""
    topologies: tuple[str, ...] = ("chain", "bridge", "converging")
    """Shapes of reasoning graphs: chain (1 to 8 hops), bridge (4), converging (3 or 4), and the
    names of user_topologies."""
    user_topologies: dict[str, tuple[tuple[int, int], ...]] = Field({})
    """Further shapes: a name, and the edges between hop numbers, as in
    {fork: [[1, 2], [2, 4], [3, 4], [4, 5]]}."""
    hops: tuple[int, ...] = (1, 2, 3, 4)
    """Numbers of hops."""
    per_stratum: int = Field(20, ge=1)
    """Chains for each topology, number of hops and label pattern of each axis."""
    answers: Literal["single", "all"] = "single"
    """Whether every hop must have a single answer, or all of its answers are recorded."""
    no_shortcut: Literal["strict", "paper"] = "strict"
    """Which facts may not join two entities of a chain: any that no hop uses (strict), or those
    of MINTQA's printed rule (paper), for reproduction."""
    types: tuple[Literal["chain", "comparison", "temporal", "inference"], ...] = ("chain",)
    """What is drawn: chains of the topologies and, with a stratum each (per_stratum chains of every
    label), comparisons of two topic entities, orders in time of two, and inferences: the one entity
    that two to four facts describe."""
    mathematics: float = Field(0.0, ge=0, le=1)
    """Of the chains of each length from 3 hops, the share with a hop that counts or reckons."""
    count_subjects: bool = False
    """Count subjects too ("how many works are set in Paris"), not objects alone ("how many founders
    does Apple have"): the number is true only where the graph lists all of them."""
    comparison: float = Field(0.0, ge=0, le=1)
    """Of the chains of each length from 3 hops, the share with a hop that compares."""
    cross_domain: float = Field(0.0, ge=0, le=1)
    """Of a stratum's chains of 2 hops and more, the least share whose hops span domains."""
    domains_crossed: int = Field(2, ge=2, le=8)
    """How many of the eight domains such a chain spans."""
    even_properties: float = Field(0.5, ge=0, le=1)
    """How far frequent properties are evened out: 0 not at all (all chains of a stratum are
    equally likely), 1 in full (a chain weighs 1 / the share of its properties)."""
    property_share: float = Field(0.25, gt=0, le=1)
    """Of a stratum's hops, the share that one property may take."""
    per_answer: int = Field(5, ge=1)
    """Most chains of an axis with the same answer."""
    per_topic: int = Field(3, ge=1)
    """Most chains of an axis that start at the same topic entity."""
    per_bridge_entity: int = Field(40, ge=1)
    """Most chains of an axis that pass the same entity on the way to their answer."""
    per_property_sequence: int = Field(10, ge=1)
    """Most chains of a stratum that ask for the same properties in the same order."""
    exclude_properties: tuple[str, ...] = (
        *("P31", "P279", "P21", "P106"),
        *("P40", "P108", "P166", "P206", "P737", "P800", "P1412", "P3373"),
    )
    """Properties that no hop may use: asking for them says little (class, gender, occupation), or
    a graph seldom lists all of their values (child, employer, award, body of water, influence,
    notable work, language, sibling), so that the answer would not be the only one."""
    exclude_empty_properties: bool = True
    """Leave out, besides those, the properties that say nothing of the world, such as "different
    from" and "topic's main category" (the list is chains/properties.py)."""

    @field_validator("hops")
    @classmethod
    def _hops_in_range(cls, hops: tuple[int, ...]) -> tuple[int, ...]:
        if not hops or not all(1 <= hop <= 8 for hop in hops):
            raise ValueError("numbers of hops from 1 to 8 are needed")
        return tuple(sorted(set(hops)))

    @field_validator("exclude_properties")
    @classmethod
    def _property_ids(cls, ids: tuple[str, ...]) -> tuple[str, ...]:
        for name in ids:
            if not (name[:1] == "P" and name[1:].isdigit()):
                raise ValueError(f"{name!r} is not a property id such as P31")
        return ids

    @model_validator(mode="after")
    def _quotas_agree(self) -> ChainsConfig:
        if not self.types:
            raise ValueError(
                "types: none is named; chain, comparison, temporal, inference are there"
            )
        if not self.topologies:
            raise ValueError("topologies: none is named; chain, bridge and converging are built in")
        if self.mathematics + self.comparison > 1:
            raise ValueError(
                f"mathematics {self.mathematics} and comparison {self.comparison} are shares of "
                "the same chains: together they can be 1 at most"
            )
        longest = max(self.hops)
        if self.mathematics + self.comparison > 0 and longest < 3:
            raise ValueError(
                "mathematics and comparison are shares of the chains of 3 hops and more: add 3 or "
                f"4 to hops {list(self.hops)}, or ask for no shares"
            )
        if self.cross_domain > 0 and longest < self.domains_crossed:
            raise ValueError(
                f"cross_domain: a chain of {longest} hops cannot span {self.domains_crossed} "
                "domains: add longer chains to hops, or lower domains_crossed"
            )
        return self


class CorpusConfig(Settings):
    """The retrieval corpus."""

    chunk_tokens: int = Field(512, ge=16)
    """Most tokens of a passage, its title included."""
    tokenizer: str = "words"
    """What a token is: words, or a Hugging Face tokenizer by the name or folder of its model."""
    style: Literal["triples", "sentences"] = "triples"
    """Lines of subject, property and object, or sentences by the property templates of the
    questions; factchain/lexical reads triples."""
    incoming: bool = False
    """State in an entity's passage the facts that lead to it, too."""
    scope: Literal["all", "sampled", "questions"] = "all"
    """Which entities have passages: all of the store, those of facts with a label of popularity or
    recency, or those of the questions."""
    distractors: float = Field(0.0, ge=0)
    """How many further entities have passages, for each one of a scope that is not all."""

    @model_validator(mode="after")
    def _distractors_have_a_source(self) -> CorpusConfig:
        if self.distractors and self.scope == "all":
            raise ValueError("distractors are taken from outside the scope, and all leaves none")
        return self


class EvalConfig(Settings):
    """The evaluation at the end of a build."""

    model: str = "factchain/lexical"
    """Any model of Inspect AI, such as openai/gpt-4o-mini; factchain/lexical needs none."""
    tasks: tuple[str, ...] = ("parametric", "retrieval-*")
    """Names of tasks, or patterns; "*" for all: what lacks its data is left out."""
    retrievers: tuple[str, ...] = ("bm25",)
    """Which retrievers the tasks with passages are run with."""
    limit: int | None = Field(None, ge=1)
    """Most questions of a task, spread evenly over axes, hops, types and labels; null for all."""
    in_full: tuple[str, ...] = ()
    """Names of tasks, or patterns, that ask all questions though there is a limit."""


class BuildConfig(Settings):
    """Everything that `factchain build` needs."""

    snapshots: tuple[SnapshotConfig, ...] = Field(min_length=1)
    """One dump, or several of different dates; the newest one is asked about."""
    passages: Path | None = None
    """Text to count popularity in: JSON lines with id, title, text and (optional) entity."""
    kg: KgConfig = KgConfig()
    popularity: PopularityConfig = PopularityConfig()
    chains: ChainsConfig = ChainsConfig()
    questions: QuestionsConfig = QuestionsConfig()
    unanswerable: UnanswerableConfig = UnanswerableConfig()
    corpus: CorpusConfig = CorpusConfig()
    eval: EvalConfig = EvalConfig()

    @model_validator(mode="after")
    def _axes_have_their_input(self) -> BuildConfig:
        dates = [snapshot.date for snapshot in self.snapshots]
        if len(set(dates)) < len(dates):
            raise ValueError("snapshots: two snapshots have the same date")
        if "recency" in self.chains.axes and len(dates) < 2:
            raise ValueError("chains.axes: the axis recency needs two snapshots")
        if "popularity" in self.chains.axes and self.passages is None:
            raise ValueError("chains.axes: the axis popularity needs passages")
        if self.questions.language != self.kg.languages[0]:
            raise ValueError(
                f"questions.language is {self.questions.language}, but the labels of the store "
                f"will be in {self.kg.languages[0]}: it must be the first of kg.languages"
            )
        return self


def read_config(path: Path) -> BuildConfig:
    """Read a config file; paths in it are relative to its folder.

    Raises ConfigError, naming file and key, where it is missing or wrong.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such config; `factchain init` writes one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is no YAML: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: holds no settings; `factchain init` writes an example")
    try:
        config = BuildConfig.model_validate(content)
    except ValidationError as error:
        problems = [problem_in_words(problem) for problem in error.errors()]
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems)) from error
    folder = path.parent
    return config.model_copy(
        update={
            "snapshots": tuple(
                snapshot.model_copy(update={"dump": folder / snapshot.dump})
                for snapshot in config.snapshots
            ),
            "passages": folder / config.passages if config.passages else None,
            "kg": config.kg.below(folder),
            "questions": config.questions.below(folder),
        }
    )


def problem_in_words(problem: Any) -> str:
    """One of pydantic's problems: the setting, and what is wrong with it."""
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"{key}: there is no such setting; `factchain init` writes a file with all of them"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{key}: {message}" if key else message


def write_example(folder: Path) -> Path:
    """Write a commented config into the folder. Raises OutputError where there is one already."""
    path = folder / EXAMPLE
    if path.exists():
        raise OutputError(f"{path}: exists already, and is left as it is")
    write_text(path, commented_config())
    return path


def commented_config() -> str:
    """A config for one's own data, with every setting, its meaning and its default."""
    lines = [
        FIRST_LINE,
        "",
        f"# {_comment(BuildConfig, 'snapshots')}",
        "snapshots:",
    ]
    for position, day in enumerate(("2021-06-21", "2024-06-05")):
        for key, value in (("dump", f"wikidata-{day}.json.gz"), ("date", day)):
            if position == 0:
                lines.append(f"    # {_comment(SnapshotConfig, key)}")
            lines.append(f"  {'-' if key == 'dump' else ' '} {key}: {value}")
    lines += ["", f"# {_comment(BuildConfig, 'passages')}", "passages: passages.jsonl"]
    for name, field in BuildConfig.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, Settings):
            lines += ["", f"# {(section.__doc__ or '').strip()}", f"{name}:"]
            for key, setting in section.model_fields.items():
                lines.append(f"  # {_comment(section, key)}")
                default = setting.default
                plain = list(default) if isinstance(default, tuple) else default
                text = yaml.safe_dump(plain, default_flow_style=True).removesuffix("...\n")
                lines.append(f"  {key}: {text.strip()}")
    return "\n".join(lines) + "\n"


def _comment(section: type[Settings], key: str) -> str:
    return (section.model_fields[key].description or "").replace("\n", " ")
