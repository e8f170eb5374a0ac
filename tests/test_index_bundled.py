import json

import numpy as np
import pytest

from index import bundled
from index.encoder import SentenceTransformerEncoder, question_encoder
from ingest.errors import UserError

TEXTS = [
    "How much faster is eigh in PyTorch 2.12?",
    "2.12 的 eigh 快了多少？",
    "Ｆｕｌｌ width，全角　空格 and\ttabs",
    "torch.accelerator.Graph `fused=True` #174619 — “quotes” … ½ ﬁ",
    "😀 emoji и кириллица 日本語のテキスト 한국어",
    "word " * 150,
    "注意力" * 80,
]


@pytest.fixture(scope="module")
def model():
    return SentenceTransformerEncoder(bundled.prepare())


def test_both_sides_of_the_bundled_model_agree(model):
    engine = bundled.QuestionEngine().encode_questions(TEXTS)
    transformer = model.encode_questions(TEXTS)
    cosines = (engine * transformer).sum(axis=1)
    assert cosines.min() > 0.9995, cosines
    assert engine.dtype == transformer.dtype == np.float32
    assert np.allclose(np.linalg.norm(engine, axis=1), 1, atol=1e-5)


def test_questions_and_passages_have_different_prompts(model):
    assert model.prompts == {"query": "query: ", "document": "passage: "}
    assert not np.allclose(model.encode_questions(TEXTS[:1]), model.encode_passages(TEXTS[:1]), atol=1e-3)


def test_control_characters_do_not_cut_a_question():
    engine = bundled.QuestionEngine()
    whole, cut, spaced = engine.encode_questions(["alpha\0beta", "alpha", "alpha beta"])
    assert whole @ spaced > 0.9999 > whole @ cut


def test_a_damaged_prepared_model_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RELEASE_QA_CACHE", str(tmp_path))
    told = []
    folder = bundled.prepare(told.append)
    sums = json.loads((folder / "checksums.json").read_text())
    (folder / "tokenizer.json").write_text("{}")
    assert not bundled.is_prepared(folder)
    assert bundled.prepare(told.append) == folder
    assert bundled.is_prepared(folder)
    assert json.loads((folder / "checksums.json").read_text()) == sums
    assert len(told) == 2
    assert not list(tmp_path.glob(".preparing-*"))


def test_a_cache_that_may_not_be_written_gives_one_line(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RELEASE_QA_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match="cannot prepare the model"):
        bundled.prepare()


def test_an_index_of_another_revision_is_refused():
    with pytest.raises(UserError, match=r"revision other.*python -m index"):
        question_encoder("bundled", "other")


def test_a_model_that_is_not_there_gives_one_line(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="cannot be loaded") as caught:
        SentenceTransformerEncoder(tmp_path / "empty")
    assert "\n" not in str(caught.value)
