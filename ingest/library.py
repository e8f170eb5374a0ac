"""Read posts and write `documents.jsonl` and `passages.jsonl`, the hand-over to the index."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.progress import Tell, silent
from ingest.readers import find_posts, read_document
from ingest.schema import Document, Passage
from ingest.settings import CORPUS, SplitSettings
from ingest.split import split_document
from ingest.storage import to_jsonl, write_atomic

DOCUMENTS = "documents.jsonl"
PASSAGES = "passages.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """Documents in file order and all their passages."""

    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]


def ingest(paths: Sequence[Path] = (), settings: SplitSettings | None = None, tell: Tell = silent) -> Ingested:
    """Read every post under `paths` (default: the corpus); one bad post is a UserError and nothing is written."""
    files, skipped = find_posts(list(paths) or [CORPUS])
    for skip in skipped:
        tell(f"{skip.path}: skipped, {skip.reason}")
    documents = _distinct([read_document(file) for file in files])
    passages = [passage for document in documents for passage in split_document(document, settings)]
    return Ingested(documents=tuple(documents), passages=tuple(passages))


def write(ingested: Ingested, folder: Path) -> tuple[Path, Path]:
    """Write both files under `folder`; each is whole or as it was."""
    paths = folder / DOCUMENTS, folder / PASSAGES
    write_atomic(paths[0], to_jsonl(d.to_dict() for d in ingested.documents))
    write_atomic(paths[1], to_jsonl(p.to_dict() for p in ingested.passages))
    return paths


def _distinct(documents: list[Document]) -> list[Document]:
    """Number the ids of several posts on one release in one language: pytorch-2.0.en, pytorch-2.0-2.en."""
    seen: Counter[str] = Counter()
    out = []
    for document in documents:
        seen[document.id] += 1
        number = seen[document.id]
        name = document.id.removesuffix(f".{document.lang}")
        out.append(document if number == 1 else replace(document, id=f"{name}-{number}.{document.lang}"))
    return out
