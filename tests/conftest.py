"""Shared parts: the real index of the corpus, a tiny deterministic encoder for code that is not about quality."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from index.settings import INDEX, BuildSettings
from index.snapshot import build
from index.tokens import tokenize
from ingest.schema import Passage

ROOT = Path(__file__).resolve().parent.parent
POSTS = ROOT.parent / "shared" / "posts"


class TinyEncoder:
    """Bags of hashed words: deterministic, quick, no model. Its figures say nothing about quality."""

    model_id = "tiny"
    revision = "1"
    dimension = 64
    prompts: dict[str, str] = {}

    def __init__(self):
        self.encoded = []

    def encode_passages(self, passages):
        self.encoded += passages
        return np.stack([self._vector(text) for text in passages])

    encode_questions = encode_passages

    def _vector(self, text):
        vector = np.full(self.dimension, 0.01, np.float32)
        for token in tokenize(text):
            vector[int(hashlib.md5(token.encode()).hexdigest(), 16) % self.dimension] += 1
        return vector / np.linalg.norm(vector)


def make_passage(number, text, *, lang="en", release="2.12", doc="doc"):
    return Passage(
        id=f"{doc}.{lang}#s{number}/0",
        doc_id=f"{doc}.{lang}",
        title=f"PyTorch {release}",
        project="PyTorch",
        release=release,
        lang=lang,
        url="https://example.org/post",
        section=(f"Section {number}",),
        text=text,
        start=0,
        end=len(text),
    )


@pytest.fixture
def tiny():
    return TinyEncoder()


@pytest.fixture
def small_index(tmp_path, tiny):
    """Four passages in two languages, built by the tiny encoder."""
    passages = [
        make_passage(1, "Batched eigh is up to 100 times faster on CUDA. MAGMA is deprecated."),
        make_passage(2, "Jane Xu wrote the front end of fused Adagrad in PR #177672."),
        make_passage(1, "CUDA 上批处理 eigh 最高快 100 倍。MAGMA 已弃用。", lang="zh"),
        make_passage(2, "Jane Xu 在 PR #177672 中编写了 fused Adagrad 的前端。", lang="zh"),
    ]
    folder = build(passages, tiny, tmp_path / "index", BuildSettings())
    return folder.parent


@pytest.fixture(scope="session")
def index_folder():
    """The corpus's own index, built if it is not there."""
    if not (INDEX / "CURRENT").exists():
        subprocess.run([sys.executable, "-m", "index"], cwd=ROOT, check=True)
    return INDEX


@pytest.fixture(scope="session")
def assistant(index_folder):
    from app.assistant import Assistant

    return Assistant.open(index_folder)


@pytest.fixture(scope="session")
def document_texts(index_folder):
    from ingest.storage import read_jsonl

    return {d["id"]: d["text"] for d in read_jsonl(index_folder.parent / "documents.jsonl")}


def run(*args, input=None, env=None, cwd=ROOT, timeout=240):
    """Run `python ARGS` as a user would; returns the finished process."""
    return subprocess.run(
        [sys.executable, *map(str, args)],
        cwd=cwd,
        input=input,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )


def posts():
    """The real posts, where they are present."""
    return sorted(p for p in POSTS.glob("2.*") if p.suffix in (".md", ".txt"))


needs_posts = pytest.mark.skipif(not posts(), reason="../shared/posts is not here: real posts are not part of the project")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """With RELEASE_QA_REQUIRE set (as in CI) a test whose part is absent fails; the real posts alone may be missing."""
    report = yield
    if report.skipped and os.environ.get("RELEASE_QA_REQUIRE") and "real posts" not in str(report.longrepr):
        report.outcome = "failed"
    return report
