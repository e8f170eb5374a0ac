"""Public benchmarks on the project's own retrieval: any BEIR folder, and XQuAD in Chinese and English.

Documents are split like posts, and a document scores as its best passage. Indexes are kept under
`var/benchmarks`, named by what they hold.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ir_measures
from ir_measures import RR, R, nDCG

from app.plan import question_language
from eval.settings import CUTOFFS
from index.encoder import corpus_encoder, question_encoder
from index.search import Query, Searcher
from index.settings import BUNDLED, BuildSettings, SearchSettings
from index.snapshot import Snapshot, build, exists, resolve
from ingest.errors import UserError
from ingest.language import detect
from ingest.progress import Tell
from ingest.schema import Document, Passage, text_hash
from ingest.settings import VAR
from ingest.split import split_document
from ingest.storage import read_jsonl, write_atomic

RETRIEVERS = {
    "dense": SearchSettings(lexical_weight=0.0),
    "lexical": SearchSettings(dense_weight=0.0, lexical_weight=1.0),
    "hybrid": SearchSettings(),
}
MEASURES = {**{f"recall@{k}": R @ k for k in CUTOFFS}, "ndcg@10": nDCG @ 10, "mrr@10": RR @ 10}
_DEPTH = 100
Run = dict[str, dict[str, float]]
Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Documents by id with (title, text, language), questions by id, and how relevant a document is to a question."""

    documents: Mapping[str, tuple[str, str, str]]
    queries: Mapping[str, str]
    qrels: Qrels


def read_beir(folder: Path) -> Benchmark:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels/test.tsv`; UserError names the file and line that is wrong."""
    documents = {
        str(r["_id"]): (str(r.get("title", "")), str(r["text"]), detect(str(r["text"]))) for r in _records(folder / "corpus.jsonl")
    }
    queries = {str(r["_id"]): str(r["text"]) for r in _records(folder / "queries.jsonl")}
    qrels = read_qrels(folder / "qrels" / "test.tsv")
    missing = [q for q in qrels if q not in queries]
    if missing:
        raise UserError(
            f"names query {missing[0]}, which queries.jsonl lacks", where=folder / "qrels" / "test.tsv", remedy="mend one of them"
        )
    return Benchmark(documents=documents, queries={q: queries[q] for q in qrels}, qrels=qrels)


def _records(path: Path) -> Iterable[dict[str, object]]:
    for number, record in enumerate(read_jsonl(path), 1):
        if "_id" not in record or "text" not in record:
            raise UserError("lacks _id or text", where=f"{path}:{number}", remedy="mend the line")
        yield record


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read relevance: BEIR's `query document grade` with a head line, or TREC's `query 0 document grade`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot be read: {error}", where=path, remedy="give a BEIR folder with qrels/test.tsv") from error
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(lines, 1):
        cells = line.split()
        if not cells or (number == 1 and not cells[-1].lstrip("-").isdigit()):
            continue
        if len(cells) not in (3, 4) or not cells[-1].lstrip("-").isdigit():
            raise UserError("is no line of qrels", where=f"{path}:{number}", remedy="write: query document grade")
        if int(cells[-1]) > 0:
            qrels.setdefault(cells[0], {})[cells[-2]] = int(cells[-1])
    return qrels


def read_xquad(folder: Path) -> Benchmark:
    """Read `xquad.en.json` and `xquad.zh.json`: a paragraph is a document, relevant to its questions in both languages."""
    documents, queries, qrels = {}, {}, {}
    for lang in ("en", "zh"):
        path = folder / f"xquad.{lang}.json"
        try:
            articles = json.loads(path.read_text(encoding="utf-8"))["data"]
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"cannot be read: {error}", where=path, remedy="give a folder with xquad.en.json and xquad.zh.json") from error
        for number, paragraph in enumerate(p for article in articles for p in article["paragraphs"]):
            documents[f"{number:03d}.{lang}"] = ("", str(paragraph["context"]), lang)
            for asked in paragraph["qas"]:
                queries[f"{asked['id']}.{lang}"] = str(asked["question"])
                qrels[f"{asked['id']}.{lang}"] = {f"{number:03d}.en": 1, f"{number:03d}.zh": 1}
    return Benchmark(documents=documents, queries=queries, qrels=qrels)


def open_searcher(benchmark: Benchmark, retriever: str, tell: Tell) -> Searcher:
    """A searcher over the benchmark's documents; the index is built the first time."""
    documents = [
        Document(id=name, title=title, project="", release="", lang=lang, url="", published="", text=text, sha256=text_hash(text))
        for name, (title, text, lang) in benchmark.documents.items()
    ]
    passages: list[Passage] = [p for d in documents for p in split_document(d)]
    folder = VAR / "benchmarks" / text_hash("".join(f"{p.id}\n{p.encoded_text()}\n" for p in passages))[:12]
    if not exists(folder):
        build(passages, corpus_encoder(BUNDLED, BuildSettings().batch_size, tell), folder, BuildSettings(), tell)
    snapshot = Snapshot(resolve(folder))
    encoder = question_encoder(snapshot.manifest.model_id, snapshot.manifest.revision)
    return Searcher(snapshot, encoder, RETRIEVERS[retriever])


def search(searcher: Searcher, queries: Mapping[str, str], pools: Sequence[tuple[str, ...]] = ((),)) -> list[Run]:
    """A run for each pool of document languages (() is all): the best documents of each question with their scores."""
    runs: list[Run] = [{} for _ in pools]
    for name, text in queries.items():
        query = Query(text=text, lang=question_language(text))
        vector = searcher.encode(query)
        for run, langs in zip(runs, pools, strict=True):
            hits = searcher.search(Query(text=text, lang=query.lang, langs=langs), _DEPTH * 2, vector)
            scores: dict[str, float] = {}
            for hit in hits:
                if hit.rank_score > 0:
                    scores.setdefault(hit.passage.doc_id, hit.rank_score)
            run[name] = dict(list(scores.items())[:_DEPTH])
    return runs


def measure(run: Run, qrels: Qrels) -> dict[str, float]:
    """Means over the questions of `qrels`; one without hits scores 0. complete@10: every relevant document is in the top 10."""
    judged = [ir_measures.Qrel(q, d, grade) for q, found in qrels.items() for d, grade in found.items()]
    scored = [ir_measures.ScoredDoc(q, d, score) for q, found in run.items() for d, score in found.items()]
    means = ir_measures.calc_aggregate(list(MEASURES.values()), judged, scored)
    complete = sum(set(found) <= set(list(run.get(q, {}))[:10]) for q, found in qrels.items()) / max(1, len(qrels))
    return {name: round(float(means.get(m, 0.0)), 4) for name, m in MEASURES.items()} | {
        "complete@10": round(complete, 4),
        "queries": len(qrels),
    }


def write_run(run: Run, path: Path, tag: str) -> None:
    """Write a run in TREC's format."""
    lines = [f"{q} Q0 {d} {rank} {score:.6f} {tag}\n" for q, found in run.items() for rank, (d, score) in enumerate(found.items(), 1)]
    write_atomic(path, "".join(lines).encode())


def xquad(folder: Path, retriever: str, tell: Tell) -> dict[str, dict[str, float]]:
    """XQuAD in four directions (question language → paragraph language) and in the mixed pool of both."""
    benchmark = read_xquad(folder)
    searcher = open_searcher(benchmark, retriever, tell)
    out: dict[str, dict[str, float]] = {}
    for lang in ("en", "zh"):
        queries = {q: t for q, t in benchmark.queries.items() if q.endswith(f".{lang}")}
        pools: tuple[tuple[str, ...], ...] = (("en",), ("zh",), ())
        for langs, run in zip(pools, search(searcher, queries, pools), strict=True):
            qrels = {q: {d: 1 for d in benchmark.qrels[q] if not langs or d.endswith(langs)} for q in queries}
            out[f"{lang} → {langs[0] if langs else 'mixed'}"] = measure(run, qrels)
    return out
