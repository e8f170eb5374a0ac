"""How long work tells what it does: a function that takes a line, or one that drops it."""

from collections.abc import Callable

Tell = Callable[[str], None]


def silent(_line: str) -> None:
    """Tell nobody."""
