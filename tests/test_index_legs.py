import bm25s
import numpy as np
import pytest
from conftest import make_passage

from index import centring, dense, lexical
from index.tokens import tokenize

TEXTS = [
    "eigh is faster on CUDA",
    "fused Adagrad by Jane Xu, PR #177672",
    "CUDA graphs capture torch.cond",
    "MAGMA is deprecated for cuSolver",
]


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def vectors():
    return unit(np.random.default_rng(0).normal(size=(50, 16)))


def test_a_vector_scores_1_against_itself_and_more_is_nearer(tmp_path, vectors):
    keys = [dense.passage_key(f"p{i}") for i in range(50)]
    dense.build(vectors, keys, tmp_path / "v.faiss")
    index = dense.DenseIndex(tmp_path / "v.faiss")
    found = index.search(vectors[7], 5)
    assert next(iter(found)) == keys[7]
    assert found[keys[7]] == pytest.approx(1.0, abs=1e-5)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_faiss_padding_is_dropped_and_filters_hold(tmp_path, vectors):
    keys = [dense.passage_key(f"p{i}") for i in range(50)]
    dense.build(vectors, keys, tmp_path / "v.faiss")
    index = dense.DenseIndex(tmp_path / "v.faiss")
    assert len(index.search(vectors[0], 500)) == 50
    assert set(index.search(vectors[0], 10, keys[3:6])) == set(keys[3:6])
    assert index.search(vectors[0], 10, []) == {}
    assert all(key > 0 for key in keys)


def test_our_scorer_gives_the_weights_of_bm25s(tmp_path):
    lexical.build(TEXTS, tmp_path / "bm25")
    ours = lexical.LexicalIndex.load(tmp_path / "bm25")
    theirs = bm25s.BM25.load(tmp_path / "bm25")
    for question in ("eigh CUDA", "who is Jane Xu", "#177672", "torch.cond MAGMA"):
        tokens = sorted(set(tokenize(question)))
        known = [t for t in tokens if t in ours.vocabulary]
        raw = theirs.get_scores_from_ids([ours.vocabulary[t] for t in known])
        possible = sum(
            ours.weights[ours.starts[ours.vocabulary[t]] : ours.starts[ours.vocabulary[t] + 1]].max() if t in known else ours.ceiling
            for t in tokens
        )  # fmt: skip
        expected = {row: score / possible for row, score in enumerate(raw) if score > 0}
        assert ours.search(question) == pytest.approx(expected, rel=1e-5)


def test_a_question_about_something_else_scores_low(tmp_path):
    lexical.build(TEXTS, tmp_path / "bm25")
    index = lexical.LexicalIndex.load(tmp_path / "bm25")
    assert index.search("nothing known here zzz") == {}
    assert max(index.search("CUDA zzz qqq www").values()) < 0.4
    assert max(index.search("fused Adagrad Jane").values()) > 0.5
    assert index.rarity("zzz") > index.rarity("jane") > index.rarity("cuda")


def test_centring_brings_languages_together():
    rng = np.random.default_rng(1)
    meaning = rng.normal(size=(300, 16)).astype(np.float32)
    shift = 2 * rng.normal(size=(2, 16)).astype(np.float32)
    vectors = unit(np.concatenate([meaning + shift[0], meaning + shift[1]]))
    langs = ["en"] * 300 + ["zh"] * 300
    means = centring.language_means(vectors, langs, {})
    centred = centring.centre(vectors, langs, means)
    assert np.allclose(np.linalg.norm(centred, axis=1), 1, atol=1e-5)

    def same_meaning_first(v):
        return float(np.mean((v[:300] @ v.T - 9 * np.eye(300, 600)).argmax(axis=1) == np.arange(300, 600)))

    assert same_meaning_first(vectors) < 0.3
    assert same_meaning_first(centred) > 0.9


def test_one_text_is_not_centred_away_and_unknown_languages_fall_back():
    vector = unit(np.ones((1, 8)))
    prior = {"en": np.full(8, 0.1, np.float32)}
    means = centring.language_means(vector, ["en"], prior)
    assert np.isfinite(centring.centre(vector, ["en"], means)).all()
    assert np.linalg.norm(centring.centre(vector, ["ko"], means)) == pytest.approx(1)
    alone = centring.language_means(vector, ["en"], {})
    assert np.linalg.norm(centring.centre(vector, ["en"], alone)) == pytest.approx(1)


def test_a_passages_key_depends_on_its_name_alone():
    assert dense.passage_key("a#b/0") == dense.passage_key(make_passage(1, "x").id.replace(make_passage(1, "x").id, "a#b/0"))
    assert dense.passage_key("a#b/0") != dense.passage_key("a#b/1")
