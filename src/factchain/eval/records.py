"""What is left of an evaluation for tables and figures."""

from __future__ import annotations

from pydantic import Field

from factchain.chains.records import Axis, HopKind
from factchain.records import Record


class ScoreSummary(Record):
    """The mean of one score over one group of questions, with its 95 % interval."""

    task: str
    """Name of the task."""
    mode: str
    """How the task was done, such as `open`, `options-think` or `given`."""
    context: str
    """What stood before the question: `none`, `gold`, or the name of a retriever."""
    model: str
    """Inspect's name of the model."""
    axis: Axis | None
    """Axis of the group's questions; none where both count."""
    hops: int | None
    """Hops of the group's questions; none where all count."""
    labels: str | None
    """Labels of the hops joined by `-`; none where all count."""
    topology: str | None = None
    """Topology of the group's questions; none where all count."""
    kind: HopKind | None = None
    """A kind of hop that the group's questions have; none where all count."""
    score: str
    """Name of the score."""
    n: int = Field(ge=1)
    """Questions that have this score."""
    failed: int = Field(ge=0)
    """Questions of the group that could not be asked; they count nowhere else."""
    mean: float = Field(ge=0, le=1)
    """Mean of the score."""
    low: float = Field(ge=0, le=1)
    """Lower end of the interval."""
    high: float = Field(ge=0, le=1)
    """Upper end of the interval."""

    @property
    def by(self) -> tuple[str, ...]:
        """What the group's questions have in common; nothing where it is all questions."""
        names = ("axis", "hops", "labels", "topology", "kind")
        return tuple(name for name in names if getattr(self, name) is not None)
