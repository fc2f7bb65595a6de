"""Published datasets -> a dataset folder, which retrievers and evaluation read as a build's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO, NamedTuple

import orjson

from factchain.errors import ConfigError, InputError
from factchain.files import sweep, write_atomically
from factchain.formats.conversion import Conversion, dropped, finish, take_over
from factchain.formats.dataset_folder import CORPUS_FOLDER, QUESTIONS, SPLIT
from factchain.formats.protocol import Drops, Entry, Format
from factchain.manifest import MANIFEST, Manifest, Stage, StageReport
from factchain.records import Record, write_records
from factchain.retrieval_corpus.formats import (
    CORPUS,
    QUERIES,
    candidates_file,
    hop_qrels_file,
    qrels_file,
    write_candidates,
    write_hop_qrels,
    write_qrels,
)
from factchain.retrieval_corpus.records import Candidate, CorpusQuery, HopGold, Passage


def import_dataset(
    one: Format,
    files: Sequence[Path],
    out: Path,
    *,
    split: str | None = None,
    limit: int | None = None,
) -> Conversion:
    """Read files of a format into the folder `out`; of them the first `limit` questions.

    `split` names the split of all questions; without it a word of each file's name does (train,
    dev, test), or `test`. Raises InputError for what is not of the format, OutputError for a folder
    that holds something else, ConfigError for a split that cannot name a file.
    """
    if split is not None and not SPLIT.fullmatch(split):
        raise ConfigError(
            f"--split {split!r}: cannot name a file: use letters, digits, '-' and '_'"
        )
    for path in files:
        if not path.exists():
            raise InputError(f"{path}: there is no such file or folder")
    earlier = take_over(out, "import")
    drops: Drops = Counter()
    with sweep(out):
        with closing(one.read(files, split, drops)) as items:
            writer = _Writer(out, f"{files[0]}: holds no question of {one.title}")
            written = writer.write(items, limit)
        conversion = Conversion(
            direction="import",
            format=one.name,
            read=tuple(path.name for path in files),
            questions=len(writer.questions),
            passages=len(writer.passages),
            dropped=dropped(drops),
            files=(*written, MANIFEST),
        )
        _write_manifest(out, one, files, split, limit, conversion)
        finish(out, conversion, earlier)
    return conversion


class _Row(NamedTuple):
    """What is kept of a question until its tables are written."""

    split: str
    text: str
    gold: dict[str, int]
    hop_gold: tuple[tuple[int, str], ...]
    shown: tuple[str, ...]


class _Writer:
    """Writes the files of a dataset folder; keeps ids and gold in memory, not passages."""

    def __init__(self, out: Path, nothing: str) -> None:
        self._out, self._nothing = out, nothing
        self.questions: dict[str, _Row] = {}
        self.passages: set[str] = set()

    def write(self, items: Iterable[Passage | Entry], limit: int | None) -> list[str]:
        """Write everything, or nothing where there is no question; return the names of the files.

        Raises InputError for an id that comes twice, and where there is no question.
        """
        corpus = self._out / CORPUS_FOLDER
        with ExitStack() as stack:
            questions = stack.enter_context(write_atomically(self._out / QUESTIONS))
            texts: BinaryIO | None = None
            for item in items:
                if isinstance(item, Entry) and len(self.questions) == limit:
                    break
                for passage in item.pool if isinstance(item, Entry) else (item,):
                    if passage.id not in self.passages:
                        self.passages.add(passage.id)
                        texts = texts or stack.enter_context(write_atomically(corpus / CORPUS))
                        _line(texts, passage)
                if isinstance(item, Entry):
                    self._keep(item)
                    _line(questions, item.question)
            if not self.questions:
                raise InputError(self._nothing)
        return [QUESTIONS, *(self._write_tables(corpus) if self.passages else ())]

    def _keep(self, entry: Entry) -> None:
        question = entry.question
        if question.id in self.questions:
            raise InputError(
                f"question {question.id!r}: stands twice in what is imported: import files with "
                "the same questions into folders of their own"
            )
        shown = tuple(passage.id for passage in entry.pool)
        self.questions[question.id] = _Row(
            question.split, question.question, entry.gold, entry.hop_gold, shown
        )

    def _write_tables(self, corpus: Path) -> Iterator[str]:
        """Write queries and gold passages; yield the names of the files."""
        yield f"{CORPUS_FOLDER}/{CORPUS}"
        queries = (CorpusQuery(id=key, text=row.text) for key, row in self.questions.items())
        write_records(corpus / QUERIES, queries)
        yield f"{CORPUS_FOLDER}/{QUERIES}"
        for split in sorted({row.split for row in self.questions.values()}):
            rows = {key: row for key, row in self.questions.items() if row.split == split}
            paths = [qrels_file(corpus, split), hop_qrels_file(corpus, split)]
            write_qrels(paths[0], {key: row.gold for key, row in rows.items()})
            write_hop_qrels(
                paths[1],
                (
                    HopGold(question=key, hop=hop, passage=passage)
                    for key, row in rows.items()
                    for hop, passage in row.hop_gold
                ),
            )
            if any(row.shown for row in rows.values()):
                paths.append(candidates_file(corpus, split))
                write_candidates(
                    paths[2],
                    (
                        Candidate(question=key, rank=rank, passage=passage)
                        for key, row in rows.items()
                        for rank, passage in enumerate(row.shown, start=1)
                    ),
                )
            yield from (path.relative_to(self._out).as_posix() for path in paths)


def _line(file: BinaryIO, record: Record) -> None:
    file.write(orjson.dumps(record.model_dump(mode="json")) + b"\n")


def _write_manifest(
    out: Path,
    one: Format,
    files: Sequence[Path],
    split: str | None,
    limit: int | None,
    conversion: Conversion,
) -> None:
    """Say in the folder's manifest where it comes from, as a build does."""
    inputs = [inner for path in files for inner in (_files(path) if path.is_dir() else [path])]
    settings = {"format": one.name, "split": split, "limit": limit}
    manifest = Manifest(out, seed=0, settings=settings)
    report = StageReport(
        rows_in=conversion.questions,
        rows_out=conversion.questions,
        rejected=conversion.dropped,
        details={"passages": conversion.passages},
    )
    outputs = [name for name in conversion.files if name != MANIFEST]
    manifest.run([Stage("import", settings, lambda: report, inputs, outputs)], lambda *_: None)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
