import json

import numpy as np
import pytest

from eval.ablation import holm, randomisation
from eval.benchmarks import measure, read_beir, read_qrels, read_xquad
from eval.cli import main
from eval.html_report import page
from eval.metrics import auroc, interval, reliability
from ingest.errors import UserError


@pytest.fixture
def beir(tmp_path):
    documents = {
        "d1": "Batched eigh is up to 100 times faster on CUDA.",
        "d2": "Red wine goes well with cheese.",
        "d3": "番茄炒蛋要先炒蛋。",
    }
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps({"_id": k, "title": "", "text": v}) + "\n" for k, v in documents.items()))
    queries = {"q1": "how fast is eigh", "q2": "西红柿炒鸡蛋怎么做"}
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps({"_id": k, "text": v}) + "\n" for k, v in queries.items()))
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\n")
    return tmp_path


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid"])
def test_a_beir_folder_is_measured_from_the_command_line(beir, retriever, capsys, monkeypatch):
    monkeypatch.setattr("eval.benchmarks.VAR", beir / "var")
    run = beir / "run.trec"
    assert main(["beir", str(beir), "--retriever", retriever, "--json", "--run", str(run)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["recall@1", "recall@5", "recall@10", "ndcg@10", "mrr@10", "complete@10", "queries"]
    assert found["queries"] == 2
    assert found["recall@1"] >= 0.5
    cells = run.read_text().splitlines()[0].split()
    assert (cells[0], cells[1], cells[3], cells[5]) == ("q1", "Q0", "1", f"release-qa-{retriever}")


def test_questions_without_hits_score_zero():
    found = measure({"q1": {"d1": 1.0}}, {"q1": {"d1": 1}, "q2": {"d2": 1}})
    assert found["recall@5"] == found["complete@10"] == 0.5


def test_trec_qrels_are_read_and_bad_lines_are_named(tmp_path, beir):
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 d1 2\nq1 0 d2 0\n")
    assert read_qrels(path) == {"q1": {"d1": 2}}
    path.write_text("q1 0 d1 2\nq1 d2\n")
    with pytest.raises(UserError, match="is no line of qrels"):
        read_qrels(path)
    with (beir / "qrels" / "test.tsv").open("a") as file:
        file.write("q9\td1\t1\n")
    with pytest.raises(UserError, match="names query q9"):
        read_beir(beir)
    with pytest.raises(UserError, match="cannot be read"):
        read_xquad(tmp_path)


def test_the_command_wants_a_folder_for_a_benchmark_only(capsys):
    for arguments in (["beir"], ["run", "somewhere"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 2
    capsys.readouterr()


def test_figures_by_hand():
    assert auroc([0.9, 0.5], [0.1, 0.5]) == pytest.approx(0.875)
    assert auroc([], [0.1]) is None
    low, high = interval([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b"])
    assert (low, high) == (0.0, 1.0)
    assert reliability([0.1, 0.9, 1.0], [False, True, True])[-1] == {"from": 0.8, "to": 1.0, "questions": 2, "said": 0.95, "true": 1.0}


def test_chances_are_small_only_where_the_gain_is_steady():
    groups = [f"g{i}" for i in range(40)]
    assert randomisation(np.ones(40), groups) < 0.001
    assert randomisation(np.array([1.0, -1.0] * 20), groups) > 0.9
    assert holm({"a": 0.01, "b": 0.04, "c": 0.5}) == {"a": 0.03, "b": 0.08, "c": 0.5}


def test_the_report_is_one_page_that_needs_nothing_else():
    result = {
        "date": "2026-01-01", "split": "test", "model": "<m>", "passages": 1, "commit": "c", "corpus_sha256": "s", "answers": {"zh": {"keys": 0.5}},
        "confidence": {"auroc": 0.9, "reliability": []}, "intervals": {"keys": [0.4, 0.6]},
    }  # fmt: skip
    text = page(result)
    assert "&lt;m&gt;" in text
    assert "0.500" in text
    assert "http" not in text
    assert "src=" not in text
