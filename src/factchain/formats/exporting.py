"""A dataset folder -> the files of a published format."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from factchain.errors import ConfigError, InputError
from factchain.files import sweep
from factchain.formats.conversion import Conversion, dropped, finish, take_over
from factchain.formats.dataset_folder import QUESTIONS, DatasetFolder
from factchain.formats.protocol import Drops, Format


def export_dataset(
    one: Format,
    folder: Path,
    out: Path,
    *,
    split: str | None = None,
    limit: int | None = None,
    seed: int = 1,
) -> Conversion:
    """Write the questions and passages of a folder in a format.

    The folder is a build's workspace or what an import wrote; of it the questions of `split`, and
    of them the first `limit`. `seed` draws passages for questions that have none of their own.
    Raises InputError for a broken folder, OutputError for a folder `out` that holds something else.
    """
    if one.write is None:
        raise ConfigError(f"{one.name}: is a format that can only be imported")
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    if out.resolve() == folder.resolve():
        raise ConfigError(f"--out {out}: is the folder that is exported: choose another")
    earlier = take_over(out, "export")
    drops: Drops = Counter()
    dataset = DatasetFolder(folder, split=split, limit=limit, seed=seed)
    with sweep(out):
        written = one.write(dataset, out, drops)
        conversion = Conversion(
            direction="export",
            format=one.name,
            read=(QUESTIONS, *(("corpus",) if dataset.has_corpus else ())),
            questions=written.questions,
            passages=written.passages,
            dropped=dropped(drops),
            files=tuple(written.files),
        )
        finish(out, conversion, earlier)
    return conversion
