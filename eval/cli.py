"""`python -m eval`: measure what users get, and fail below the floors."""

import argparse
import datetime
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from app.abstain import MODEL_FILE
from app.assistant import Assistant, open_or_build
from app.settings import index_folder
from eval.calibrate import fit
from eval.questions import SPLITS, Question, load
from eval.report import below_floor, tables
from eval.run import feature_rows, summary, without_missing
from eval.settings import EXPECTED, QUESTIONS, RESULTS
from ingest.errors import UserError
from ingest.settings import ROOT
from ingest.storage import dump_json, read_jsonl, write_atomic


def main(argv: list[str] | None = None) -> int:
    """Run the command: 0 done, 1 error or below a floor, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m eval", description="Measure retrieval, answers and refusals.")
    parser.add_argument("command", nargs="?", choices=("run", "calibrate", "questions"), default="run",
                        help="run: measure (default); calibrate: fit the refusal on dev; questions: count the set")  # fmt: skip
    parser.add_argument(
        "--questions", type=Path, default=QUESTIONS, metavar="FILE", help="the question set (default: eval/questions.jsonl)"
    )
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="test", help="which part of the set to run (default: %(default)s)")
    parser.add_argument("--index", type=Path, metavar="DIR", help="the index to use (default: var/index, built when it is not there)")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    parser.add_argument("--failed", action="store_true", help="list the questions that went wrong, with their answers")
    parser.add_argument("--save", action="store_true", help="write the figures to eval/results/DATE-SPLIT.json")
    args = parser.parse_args(argv)
    try:
        questions = load(args.questions)
        if args.command == "questions":
            print(counts(questions))
            return 0
        folder, is_default = index_folder(args.index)
        assistant = open_or_build(folder, is_default=is_default, tell=lambda line: print(line, file=sys.stderr))
        if args.command == "calibrate":
            return _calibrate(assistant, questions)
        return _run(assistant, folder, [q for q in questions if args.split in (q.split, "all")], args)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def counts(questions: list[Question]) -> str:
    """How many questions there are by split, language, type and answerability."""
    rows = Counter((q.split, q.lang, q.type if q.answerable else "unanswerable") for q in questions)
    lines = [f"{split}\t{lang}\t{kind}\t{n}" for (split, lang, kind), n in sorted(rows.items())]
    return "\n".join([*lines, f"all\t\t\t{len(questions)} in {len({q.group for q in questions})} groups"])


def _run(assistant: Assistant, folder: Path, questions: list[Question], args: argparse.Namespace) -> int:
    documents = {d["id"]: str(d["text"]) for d in read_jsonl(folder.parent / "documents.jsonl")}
    result = provenance(assistant, args.split) | summary(assistant, questions, documents.__getitem__)
    print(dump_json(result) if args.json else tables(result))
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


def _calibrate(assistant: Assistant, questions: list[Question]) -> int:
    dev = without_missing(assistant, [q for q in questions if q.split == "dev"])
    model = fit(feature_rows(assistant, dev), [q.answerable for q in dev])
    record = {
        "fitted": provenance(assistant, "dev") | {"questions": len(dev)},
        "model": model,
    }
    write_atomic(MODEL_FILE, (json.dumps(record, indent=1) + "\n").encode())
    print(f"fitted on {len(dev)} questions → {MODEL_FILE.relative_to(ROOT)}", file=sys.stderr)
    return 0
