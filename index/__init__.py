"""Encode passages, keep dense and lexical legs in one immutable snapshot, search both. Names load on first use."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from index.search import Hit, Query, Searcher
    from index.settings import BuildSettings, SearchSettings
    from index.snapshot import Manifest, Snapshot

__all__ = ["BuildSettings", "Hit", "Manifest", "Query", "SearchSettings", "Searcher", "Snapshot"]

_HOMES = {
    "BuildSettings": "settings",
    "Hit": "search",
    "Manifest": "snapshot",
    "Query": "search",
    "SearchSettings": "settings",
    "Searcher": "search",
    "Snapshot": "snapshot",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"index.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'index' has no attribute {name!r}")
