"""`python -m app.ask "…"`: one question, one cited answer; neither torch nor gradio is imported for it."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

# Read by libgomp when FAISS or the question engine load: idle threads sleep instead of spinning.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from app.assistant import Assistant, open_or_build
from app.extract import question_tokens
from app.plan import make_plan
from app.settings import AskSettings, index_folder, wants_colour
from app.terminal import render
from ingest.errors import UserError, from_os_error
from ingest.storage import dump_json


def parser() -> argparse.ArgumentParser:
    """The command's flags; a test holds the README against them."""
    p = argparse.ArgumentParser(
        prog="python -m app.ask",
        description="Answer a question from the release posts, each sentence a quotation with its place.",
    )
    p.add_argument("question", nargs="?", metavar="QUESTION", help="the question, in Chinese or English")
    p.add_argument("--json", action="store_true", help="print the whole answer as one JSON line")
    p.add_argument("--batch", metavar="FILE", help="a question a line from FILE (or - for standard input); a JSON line each, in order")
    p.add_argument("--top-k", type=int, default=AskSettings().top_k, metavar="N", help="passages to retrieve (default: %(default)s)")
    p.add_argument("--release", action="append", default=[], metavar="X.Y", help="only posts of this release; may be repeated")
    p.add_argument("--lang", choices=("zh", "en"), action="append", default=[], help="only posts in this language; may be repeated")
    p.add_argument("--index", type=Path, metavar="DIR", help="the index to use (default: var/index, built when it is not there)")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command: 0 answered or abstained, 1 error, 2 wrong usage."""
    p = parser()
    args = p.parse_args(argv)
    if (args.question is None) == (args.batch is None):
        p.error("give a question, or --batch FILE")
    try:
        settings = AskSettings(top_k=args.top_k, releases=tuple(args.release), langs=tuple(args.lang))
    except ValueError as error:
        p.error(str(error))
    try:
        return _batch(args.batch, settings, args.index) if args.batch else _one(args.question, settings, args)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader has gone (`| head`): no traceback, and nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _open(index: Path | None, settings: AskSettings) -> Assistant:
    folder, is_default = index_folder(index)
    assistant = open_or_build(folder, is_default=is_default, tell=lambda line: print(line, file=sys.stderr, flush=True))
    unknown = [r for r in settings.releases if r not in assistant.releases]
    if unknown:
        raise UserError(f"no post about release {unknown[0]}", where="--release", remedy=f"there are: {', '.join(assistant.releases)}")
    return assistant


def _one(question: str, settings: AskSettings, args: argparse.Namespace) -> int:
    from app.plan import clean_question

    cleaned = clean_question(question)  # a question that cannot be read should not cost an index build
    assistant = _open(args.index, settings)
    answer = assistant.ask(question, settings)
    if args.json:
        print(dump_json(answer.to_dict()))
        return 0
    colour = wants_colour(sys.stdout.isatty())
    marked = question_tokens(make_plan(cleaned, assistant.releases), assistant.searcher.snapshot.lexical) if colour else ()
    print(render(answer, colour=colour, marked=marked))
    return 0


def _batch(name: str, settings: AskSettings, index: Path | None) -> int:
    """A JSON line for each line read; one that is no question gives {"question", "error"} and exit 1 at the end."""
    lines = _lines(name)
    assistant = _open(index, settings)
    failed = 0
    for line in lines:
        question = line.rstrip("\r\n")
        try:
            record = assistant.ask(question, settings).to_dict()
        except UserError as error:
            failed += 1
            record = {"question": question, "error": str(error)}
        print(dump_json(record), flush=True)
    if failed:
        print(f"error: {failed} of the lines could not be read as questions", file=sys.stderr)
    return 1 if failed else 0


def _lines(name: str) -> Iterable[str]:
    if name == "-":
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        return sys.stdin
    path = Path(name)
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise from_os_error(error, where=path, doing="read") from error
    except UnicodeDecodeError as error:
        raise UserError(f"is not UTF-8 (byte {error.start})", where=path, remedy="convert it to UTF-8") from error


if __name__ == "__main__":
    raise SystemExit(main())
