"""Ask release posts: `from app import Assistant`. Names load on first use."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.answer import Answer, Citation
    from app.assistant import Assistant
    from app.settings import AskSettings

__all__ = ["Answer", "AskSettings", "Assistant", "Citation"]

_HOMES = {"Answer": "answer", "AskSettings": "settings", "Assistant": "assistant", "Citation": "answer"}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"app.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'app' has no attribute {name!r}")
