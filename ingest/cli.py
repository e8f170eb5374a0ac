"""`python -m ingest [PATH…]`: posts in, documents and passages out."""

import argparse
import logging
import sys
from collections import Counter
from pathlib import Path

from ingest.errors import UserError
from ingest.library import ingest, write
from ingest.settings import CORPUS, VAR, SplitSettings


def main(argv: list[str] | None = None) -> int:
    """Run the command; 0 done, 1 a post or folder that cannot be used, 2 wrong usage."""
    parser = argparse.ArgumentParser(
        prog="python -m ingest", description="Read release posts and write documents.jsonl and passages.jsonl."
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=f"a post or a folder of posts (default: {CORPUS.name}/)")
    parser.add_argument("--out", type=Path, default=VAR, metavar="DIR", help="where to write (default: var/)")
    parser.add_argument(
        "--passage-units", type=int, default=SplitSettings().passage_units, metavar="N",
        help="the most a passage may hold; a Han character counts 2 (default: %(default)s)",
    )  # fmt: skip
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        settings = SplitSettings(passage_units=args.passage_units)
    except ValueError as error:
        parser.error(str(error))
    try:
        ingested = ingest(args.paths, settings, tell=lambda line: print(line, file=sys.stderr))
        documents, passages = write(ingested, args.out)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    per_document = Counter(p.doc_id for p in ingested.passages)
    for document in ingested.documents:
        print(f"{document.id}\t{document.lang}\t{document.release or '-'}\t{per_document[document.id]} passages\t{document.title}")
    print(f"{len(ingested.documents)} posts, {len(ingested.passages)} passages → {documents}, {passages}", file=sys.stderr)
    return 0
