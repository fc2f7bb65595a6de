from __future__ import annotations

from pathlib import Path

from factchain.eval.report.records import ReportData
from factchain.eval.report.workspace import _class_sizes, report_data
from factchain.eval.results import Results
from factchain.records import write_records
from factchain.retrieval_corpus.formats import hop_qrels_file, write_hop_qrels
from factchain.retrieval_corpus.records import Passage, PassageMetadata


def test_a_workspace_is_read_back(data: ReportData, tmp_path: Path) -> None:
    write_records(tmp_path / "questions.jsonl", data.questions)
    write_records(tmp_path / "chains.jsonl", data.chains)
    write_hop_qrels(hop_qrels_file(tmp_path / "corpus", "test"), data.gold)
    passages = [
        Passage(
            id=gold.passage, title="t", text="x", metadata=PassageMetadata(entity="Q1", facts=())
        )
        for gold in data.gold
    ]
    write_records(tmp_path / "corpus" / "corpus.jsonl", passages)
    times = {"start": "2024-06-05T00:00:00+00:00", "end": "2024-06-05T00:00:01+00:00"}
    ran = {
        stage.name: {
            **times,
            "rows_in": stage.rows_in,
            "rows_out": stage.rows_out,
            "rejected": {**stage.rejected, "never": 0},
        }
        for stage in data.build.stages
    }
    popularity = {**times, "rows_in": 560, "rows_out": 65, "rejected": {}}
    manifest = {
        "factchain": "0.1.0",
        "seed": 7,
        "settings": {"popularity": {"unpopular_min": 1, "unpopular_max": 2, "popular_min": 5}},
        "inputs": [{"file": "old.json.gz", "bytes": 12_345, "sha256": "ab" * 32}],
        "stages": {**ran, "popularity": popularity, "report": popularity},
    }
    figures = {
        "counts": {"entities": 842, "properties": 58, "passages": 560, "facts": 3_414},
        "facts_by_snapshot": data.store.snapshots,
        "facts_by_recency": data.store.recency,
        "popularity_histogram": {str(k): n for k, n in data.store.popularity.items()},
        "answer_classes": data.store.answer_classes,
        "degrees": {
            direction: {
                "bins": [{"from": b.low, "to": b.high, "entities": b.entities} for b in bins]
            }
            for direction, bins in (
                ("out", data.store.out_degrees),
                ("in", data.store.in_degrees),
            )
        },
        "coverage": {"entities": 842, **data.store.coverage, "objects that no dump describes": 7},
        "classes": [
            {"id": "Q5", "label": "human", "entities": 300},
            {"id": "Q515", "label": "city", "entities": 100},
        ],
    }
    read = report_data(tmp_path, manifest, figures, data.results, data.retrieval)
    assert [stage.name for stage in read.build.stages] == [
        *("kg", "chains", "questions", "popularity")
    ]
    stages = read.build.stages[:3]
    assert read.build.model_copy(update={"stages": stages}) == data.build
    assert read.corpus_passages == 2
    same = {"build": data.build, "corpus_passages": data.corpus_passages}
    assert read.model_copy(update=same) == data

    without_text = manifest | {"stages": ran}
    read = report_data(tmp_path, without_text, figures, Results(), {})
    assert read.store.bounds is None


def test_classes_of_one_name_are_told_apart() -> None:
    classes = [
        {"id": "Q1", "label": "city", "entities": 9},
        {"id": "Q2", "label": "city", "entities": 8},
        {"id": "Q3", "label": None, "entities": 7},
        {"id": "Q4", "label": "human", "entities": 6},
    ]
    assert _class_sizes(classes) == {"city Q1": 9, "city Q2": 8, "Q3": 7, "human": 6}
