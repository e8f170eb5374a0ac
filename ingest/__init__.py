"""Read release posts: from files to documents and passages with true offsets.

Names load on first use, so that a question answered from a built index never imports the readers.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.errors import UserError
    from ingest.library import Ingested, ingest
    from ingest.readers import read_document
    from ingest.schema import Document, Passage
    from ingest.settings import SplitSettings
    from ingest.split import split_document

__all__ = ["Document", "Ingested", "Passage", "SplitSettings", "UserError", "ingest", "read_document", "split_document"]

_HOMES = {
    "Document": "schema",
    "Ingested": "library",
    "Passage": "schema",
    "SplitSettings": "settings",
    "UserError": "errors",
    "ingest": "library",
    "read_document": "readers",
    "split_document": "split",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"ingest.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'ingest' has no attribute {name!r}")
