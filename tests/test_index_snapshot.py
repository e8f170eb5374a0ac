import json
import os
import subprocess

import numpy as np
import pytest
from conftest import TinyEncoder, make_passage

from index import snapshot
from index.search import Query, Searcher
from index.settings import BuildSettings, SearchSettings
from index.snapshot import Snapshot, build, resolve
from ingest.errors import UserError


def hits(index, encoder, text="Who wrote fused Adagrad?", lang="en", k=4, **kw):
    searcher = Searcher(Snapshot(resolve(index)), encoder)
    query = Query(text=text, lang=lang, **kw)
    return searcher.search(query, k, searcher.encode(query))


def test_what_was_built_is_found_after_reopening(small_index, tiny):
    found = hits(small_index, tiny)
    assert found[0].passage.id == "doc.en#s2/0"
    assert [h.rank_score for h in found] == sorted((h.rank_score for h in found), reverse=True)


def test_bm25_never_speaks_across_languages(small_index, tiny):
    assert {h.passage.lang for h in hits(small_index, tiny, "PR #177672") if h.lexical} == {"en"}
    assert {h.passage.lang for h in hits(small_index, tiny, "PR #177672", lang="zh") if h.lexical} == {"zh"}


def test_filters_hold_and_named_releases_lift(small_index, tiny):
    assert {h.passage.lang for h in hits(small_index, tiny, langs=("zh",))} == {"zh"}
    assert hits(small_index, tiny, releases=("9.9",)) == []
    plain, lifted = (hits(small_index, tiny, prefer_releases=r)[0].rank_score for r in ((), ("2.12",)))
    assert lifted - plain == pytest.approx(SearchSettings().release_boost, abs=1e-5)


def test_building_twice_ranks_alike_to_the_byte(tmp_path, tiny):
    passages = [make_passage(i, f"Sentence {i} about topic {i % 7} and CUDA {i % 3}.") for i in range(60)]
    runs = []
    for name in ("a", "b"):
        build(passages if name == "a" else passages[::-1], TinyEncoder(), tmp_path / name, BuildSettings())
        runs.append([[(h.passage.id, h.rank_score) for h in hits(tmp_path / name, tiny, f"topic {i} CUDA", k=60)] for i in range(7)])
    assert runs[0] == runs[1]


def test_unchanged_texts_are_not_encoded_again(tmp_path):
    first, second = TinyEncoder(), TinyEncoder()
    passages = [make_passage(i, f"Sentence number {i}.") for i in range(5)]
    build(passages, first, tmp_path, BuildSettings())
    build([*passages[:4], make_passage(9, "A new sentence.")], second, tmp_path, BuildSettings())
    assert len(first.encoded) >= 10
    assert all("new sentence" in text or "Section 9" in text for text in second.encoded)


def test_a_removed_passage_answers_no_more(tmp_path, tiny):
    passages = [make_passage(1, "Alpha beta."), make_passage(2, "Gamma delta.")]
    build(passages, tiny, tmp_path, BuildSettings())
    build(passages[:1], tiny, tmp_path, BuildSettings())
    assert [h.passage.id for h in hits(tmp_path, tiny, "Gamma delta")] == ["doc.en#s1/0"]


@pytest.mark.parametrize("step", ["vectors.faiss", "passages.jsonl", "manifest.json", "CURRENT"])
def test_a_build_that_fails_leaves_the_old_snapshot_serving(small_index, tiny, monkeypatch, step):
    before = hits(small_index, tiny)[0].passage.id

    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    if step == "vectors.faiss":
        monkeypatch.setattr(snapshot.dense, "build", fail)
    elif step == "CURRENT":
        monkeypatch.setattr("ingest.storage.os.replace", lambda a, b: fail() if str(b).endswith("CURRENT") else os.rename(a, b))
    else:
        name = {"passages.jsonl": "write_bytes", "manifest.json": "write_text"}[step]
        monkeypatch.setattr(f"pathlib.Path.{name}", fail)
    with pytest.raises(UserError, match=r"No space left.*free some space"):
        build([make_passage(5, "Something else.")], TinyEncoder(), small_index, BuildSettings())
    monkeypatch.undo()
    assert hits(small_index, tiny)[0].passage.id == before
    assert not list(small_index.glob(".building-*"))


def test_a_full_disk_gives_one_line(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", folder], capture_output=True, check=False).returncode:
        pytest.skip("mounting a small tmpfs needs root: run as root to try a full disk")
    try:
        build([make_passage(1, "Small.")], TinyEncoder(), folder, BuildSettings())
        before = (folder / "CURRENT").read_bytes()
        many = [make_passage(i, f"Sentence {i}. " * 20) for i in range(300)]
        with pytest.raises(UserError, match="No space left|cannot build"):
            build(many, TinyEncoder(), folder, BuildSettings())
        assert (folder / "CURRENT").read_bytes() == before
        assert hits(folder, TinyEncoder(), "Small")[0].passage.text == "Small."
    finally:
        subprocess.run(["umount", folder], check=False)


def damage(index, name, data):
    path = resolve(index) / name
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("manifest.json", b"{half", "is not a manifest"),
        ("manifest.json", b"[]", "format None"),
        ("manifest.json", b'{"format_version": 99}', "format 99, this program reads 1"),
        ("manifest.json", b'{"format_version": 1}', "lacks fields"),
        ("vectors.faiss", b"short", "has 5 bytes"),
        ("passages.jsonl", None, "is missing"),
        ("bm25/data.csc.index.npy", None, "is missing"),
    ],
)
def test_a_damaged_index_is_named_with_its_remedy(small_index, name, data, what):
    damage(small_index, name, data)
    with pytest.raises(UserError, match=what) as caught:
        Snapshot(resolve(small_index))
    assert "python -m index" in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_a_damaged_file_of_the_right_size_is_named_too(small_index):
    path = resolve(small_index) / "vectors.faiss"
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(UserError, match="cannot be read"):
        Snapshot(resolve(small_index))


def test_a_pointer_to_nothing_or_outside_is_refused(small_index, tmp_path):
    for name in ("gone", "../../etc", ""):
        (small_index / "CURRENT").write_text(name)
        with pytest.raises(UserError, match="not there"):
            resolve(small_index)


def test_no_index_says_how_to_build_one(tmp_path):
    with pytest.raises(UserError, match="no index is here.*python -m index"):
        Snapshot(resolve(tmp_path))


def test_vectors_of_another_dimension_are_refused(small_index):
    folder = resolve(small_index)
    record = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(record | {"dimension": 384}))
    with pytest.raises(UserError, match="4 x 64, the manifest says 4 x 384"):
        Snapshot(folder)


def test_sentence_vectors_belong_to_their_sentences(small_index, tiny):
    opened = Snapshot(resolve(small_index))
    for row, passage in enumerate(opened.passages):
        for sentence in opened.sentence_rows(row):
            start, end = opened.sentence_span(sentence)
            assert passage.text[start:end].strip()
            assert np.linalg.norm(opened.sentences[sentence].astype(np.float32)) == pytest.approx(1, abs=0.01)
