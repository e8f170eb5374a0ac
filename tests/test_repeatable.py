"""The same posts give the same bytes and the same rankings, however often they are built."""

import json

import pytest
from conftest import ROOT, run

from app.assistant import Assistant
from app.settings import AskSettings
from eval.questions import load
from eval.settings import QUESTIONS


def ask(assistant, question):
    record = assistant.ask(question, AskSettings(top_k=10)).to_dict()
    return json.dumps({k: v for k, v in record.items() if k != "timings_ms"}, ensure_ascii=False)


@pytest.mark.slow
def test_two_builds_of_the_corpus_give_the_same_bytes_and_the_same_answers(tmp_path):
    runs = []
    for name in ("one", "two"):
        index = tmp_path / name / "index"
        result = run("-m", "index", ROOT / "corpus" / "pytorch-2.2", "--index", index)
        assert result.returncode == 0, result.stderr
        files = [(index.parent / f).read_bytes() for f in ("documents.jsonl", "passages.jsonl")]
        assistant = Assistant.open(index)
        runs.append((files, [ask(assistant, q.question) for q in load(QUESTIONS)[:40]]))
    assert runs[0] == runs[1]


def test_asking_twice_gives_the_same_answer(assistant):
    for question in load(QUESTIONS)[:20]:
        assert ask(assistant, question.question) == ask(assistant, question.question)
