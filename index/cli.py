"""`python -m index [PATH…]`: read the posts, build the snapshot."""

import argparse
import logging
import sys
import time
from pathlib import Path

from index.settings import BUNDLED, INDEX, BuildSettings
from ingest.errors import UserError
from ingest.progress import Tell, silent
from ingest.settings import CORPUS, SplitSettings


def build_index(paths: list[Path], index: Path, settings: BuildSettings, tell: Tell) -> Path:
    """Ingest `paths` (default: the corpus), write documents and passages beside `index`, publish a snapshot.

    Returns the generation's folder. Raises UserError; nothing that was there is lost.
    """
    from index.encoder import corpus_encoder
    from index.snapshot import build
    from ingest.library import ingest, write

    ingested = ingest(paths, settings.split, tell)
    tell(f"{len(ingested.documents)} posts, {len(ingested.passages)} passages")
    write(ingested, index.parent)
    encoder = corpus_encoder(settings.model, settings.batch_size, tell)
    return build(ingested.passages, encoder, index, settings, tell)


def _save_priors(index: Path, settings: BuildSettings) -> None:
    from index.encoder import corpus_encoder
    from index.snapshot import save_priors

    save_priors(index, corpus_encoder(settings.model, settings.batch_size, silent))


def main(argv: list[str] | None = None) -> int:
    """Run the command; 0 built, 1 it could not be, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m index", description="Build the search index of release posts.")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=f"a post or a folder of posts (default: {CORPUS.name}/)")
    parser.add_argument("--index", type=Path, default=INDEX, metavar="DIR", help="where the index lies (default: var/index)")
    parser.add_argument(
        "--model", default=BUNDLED, metavar="NAME",
        help='"bundled" (multilingual-e5-small), or a SentenceTransformer name or folder (default: %(default)s)',
    )  # fmt: skip
    parser.add_argument(
        "--passage-units", type=int, default=SplitSettings().passage_units, metavar="N",
        help="the most a passage may hold; a Han character counts 2 (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--save-priors", action="store_true", help="also keep this corpus's language means as priors for small corpora")
    args = parser.parse_args(argv)
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        settings = BuildSettings(model=args.model, split=SplitSettings(passage_units=args.passage_units))
    except ValueError as error:
        parser.error(str(error))
    began = time.perf_counter()
    try:
        folder = build_index(args.paths, args.index, settings, lambda line: print(line, file=sys.stderr))
        if args.save_priors:
            _save_priors(args.index, settings)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"built in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    print(folder)
    return 0
