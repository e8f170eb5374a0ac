"""`python -m eval`: measure what users get, and fail below the floors."""

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from app import abstain, extract
from app.assistant import Assistant, open_or_build
from app.settings import index_folder
from eval.ablation import run as ablate
from eval.benchmarks import RETRIEVERS, measure, open_searcher, read_beir, search, write_run, xquad
from eval.calibrate import fit_abstainer, fit_sentences
from eval.counts import report
from eval.html_report import page
from eval.questions import SPLITS, Question, load, load_dialogues
from eval.report import below_floor, table, tables
from eval.run import dialogues, feature_rows, judged_by_features, sentence_rows, summary
from eval.settings import DIALOGUES, EXPECTED, QUESTIONS, RESULTS
from ingest import ingest
from ingest.errors import UserError
from ingest.sections import find_sections
from ingest.settings import ROOT, VAR
from ingest.storage import dump_json, read_jsonl, write_atomic


def main(argv: list[str] | None = None) -> int:
    """Run the command: 0 done, 1 error or below a floor, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m eval", description="Measure retrieval, answers and refusals.")
    parser.add_argument("command", nargs="?", choices=("run", "report", "calibrate", "questions", "beir", "xquad"), default="run",
                        help="run: measure (default); report: measure, with ablations, into one HTML page; calibrate: fit sentence weights and refusal on dev; questions: count the set; "
                        "beir, xquad: a public benchmark")  # fmt: skip
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="beir: a BEIR folder; xquad: xquad.en.json and xquad.zh.json")
    parser.add_argument(
        "--retriever", choices=tuple(RETRIEVERS), default="hybrid", help="beir, xquad: the legs to use (default: %(default)s)"
    )
    parser.add_argument(
        "--out", type=Path, default=VAR / "report.html", metavar="FILE", help="report: where to write it (default: var/report.html)"
    )
    parser.add_argument("--run", type=Path, metavar="FILE", help="beir: also write the ranking in TREC's format")
    parser.add_argument(
        "--questions", type=Path, default=QUESTIONS, metavar="FILE", help="the question set (default: eval/questions.jsonl)"
    )
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="test", help="which part of the set to run (default: %(default)s)")
    parser.add_argument("--index", type=Path, metavar="DIR", help="the index to use (default: var/index, built when it is not there)")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--failed", action="store_true", help="list the questions that went wrong, with their answers")
    parser.add_argument("--save", action="store_true", help="write the figures to eval/results/DATE-SPLIT.json")
    args = parser.parse_args(argv)
    if (args.command in ("beir", "xquad")) != (args.folder is not None):
        parser.error(f"{args.command} {'needs a' if args.folder is None else 'takes no'} folder")
    try:
        if args.folder is not None:
            return _benchmark(args)
        questions = load(args.questions)
        if args.command == "questions":
            print(report(questions, load_dialogues(DIALOGUES), _sections()))
            return 0
        folder, is_default = index_folder(args.index)
        assistant = open_or_build(folder, is_default=is_default, tell=lambda line: print(line, file=sys.stderr))
        if args.command == "calibrate":
            return _calibrate(assistant, questions)
        return _run(assistant, folder, [q for q in questions if args.split in (q.split, "all")], args)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _sections() -> dict[str, str]:
    """Text of every section of the corpus by "pytorch-2.12.en#linalg-eigh"."""
    documents = ingest().documents
    return {f"{d.id}#{s.anchor}": d.text[s.start : s.end] for d in documents for s in find_sections(d.text, d.title)}


def _run(assistant: Assistant, folder: Path, questions: list[Question], args: argparse.Namespace) -> int:
    documents = {d["id"]: str(d["text"]) for d in read_jsonl(folder.parent / "documents.jsonl")}
    result = provenance(assistant, args.split) | summary(assistant, questions, documents.__getitem__)
    if args.command == "report":
        result["ablation"] = ablate(assistant, questions)
    if args.questions == QUESTIONS:
        spoken = [d for d in load_dialogues(DIALOGUES) if args.split in (d.split, "all")]
        turns = dialogues(assistant, spoken)
        result["failed"] += turns.pop("failed")
        result["dialogues"] = turns
    print(dump_json(result) if args.json else tables(result))
    if args.command == "report":
        write_atomic(args.out, page(result).encode())
        print(f"report → {args.out}", file=sys.stderr)
    if args.failed:
        _show_failed(assistant, [q for q in questions if q.id in result["failed"]])
    if args.save:
        path = RESULTS / f"{datetime.date.today().isoformat()}-{args.split}.json"
        write_atomic(path, (json.dumps(result, ensure_ascii=False, indent=1) + "\n").encode())
        print(f"saved → {path.relative_to(ROOT)}", file=sys.stderr)
    missed = below_floor(result, EXPECTED) if args.split == "test" and args.questions == QUESTIONS else []
    for line in missed:
        print(f"below the floor: {line}", file=sys.stderr)
    return 1 if missed else 0


def provenance(assistant: Assistant, split: str) -> dict[str, Any]:
    """What a result was measured on: date, commit, corpus hash, model."""
    manifest = assistant.searcher.snapshot.manifest
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": git.stdout.strip() or "unknown",
        "corpus_sha256": manifest.corpus_sha256,
        "model": f"{manifest.model_id} {manifest.revision}".strip(),
        "passages": manifest.passages,
        "split": split,
    }


def _show_failed(assistant: Assistant, questions: list[Question]) -> None:
    for q in questions:
        answer = assistant.ask(q.question)
        print(f"\n{q.id} [{q.type}] {q.question}\n  keys {list(map(list, q.answer_keys))} confidence {answer.confidence}", file=sys.stderr)
        print(f"  evidence {list(map(list, q.evidence))}; retrieved {[r.passage_id for r in answer.retrieved]}", file=sys.stderr)
        print(f"  → {answer.answer}", file=sys.stderr)


def _benchmark(args: argparse.Namespace) -> int:
    def tell(line: str) -> None:
        print(line, file=sys.stderr)

    if args.command == "xquad":
        found = xquad(args.folder, args.retriever, tell)
        columns = list(next(iter(found.values())))
        lines = table(["", *columns], ([name, *row.values()] for name, row in found.items()))
        print(dump_json(found) if args.json else "\n".join(lines))
        return 0
    benchmark = read_beir(args.folder)
    (run,) = search(open_searcher(benchmark, args.retriever, tell), benchmark.queries)
    if args.run:
        write_run(run, args.run, f"release-qa-{args.retriever}")
    result = measure(run, benchmark.qrels)
    print(dump_json(result) if args.json else "\n".join(table(list(result), [list(result.values())])))
    return 0


def _calibrate(assistant: Assistant, questions: list[Question]) -> int:
    dev = [q for q in questions if q.split == "dev"]
    fitted = provenance(assistant, "dev") | {"questions": len(dev)}
    weights = fit_sentences(sentence_rows(assistant, [q for q in dev if q.answerable]))
    _write_model(extract.MODEL_FILE, {"fitted": fitted, "weights": weights})
    extract.load.cache_clear()
    judged = judged_by_features(assistant, dev)
    groups = [q.evidence[0][0] if q.evidence else q.group for q in judged]
    model = fit_abstainer(feature_rows(assistant, judged), [q.answerable for q in judged], groups)
    _write_model(abstain.MODEL_FILE, {"fitted": fitted, "model": model})
    return 0


def _write_model(path: Path, record: dict[str, Any]) -> None:
    write_atomic(path, (json.dumps(record, indent=1) + "\n").encode())
    print(f"fitted on {record['fitted']['questions']} questions → {path.relative_to(ROOT)}", file=sys.stderr)
