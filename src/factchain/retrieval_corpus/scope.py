"""Which entities have passages: all, those of the labelled facts, or those of the questions."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from factchain.retrieval_corpus import queries
from factchain.retrieval_corpus.settings import CorpusSettings


def set_scope(
    work: duckdb.DuckDBPyConnection, settings: CorpusSettings, questions: Sequence[int]
) -> None:
    """Make the table `in_scope`; not for the scope `all`, which needs none.

    `questions` are the entities of the questions, which are in every scope. Of the others, as many
    distractors as the settings ask for are drawn by seed among the entities that have a label and
    a fact of their own.
    """
    if settings.scope == "all":
        return
    work.register("given", pa.table({"id": pa.array(questions, pa.int64())}))
    work.execute(queries.SCOPE_OF_QUESTIONS)
    work.unregister("given")
    if settings.scope == "sampled":
        work.execute(queries.ADD_SAMPLED)
    if settings.distractors:
        ((entities,),) = work.execute(queries.COUNT_SCOPE).fetchall()
        wanted = round(settings.distractors * entities)
        work.execute(queries.ADD_DISTRACTORS, {"seed": settings.seed, "wanted": wanted})
