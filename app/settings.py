"""What a user may set, and the one place where the environment is read: flag, then environment, then default."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from index.settings import INDEX

MAX_QUESTION_CHARS = 1000
MAX_TOP_K = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSettings:
    """`top_k` passages are retrieved; `releases` and `langs` filter the posts (empty: all)."""

    top_k: int = 5
    releases: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.top_k <= MAX_TOP_K:
            raise ValueError(f"top_k must be 1 to {MAX_TOP_K}, not {self.top_k}")


def index_folder(flag: Path | None, environment: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """Return the index to use and whether it is the default one (which is built when it is not there)."""
    named = environment.get("RELEASE_QA_INDEX")
    if flag is not None:
        return flag, False
    return (Path(named), False) if named else (INDEX, True)


def wants_colour(stream_is_terminal: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """Colour on a terminal, unless NO_COLOR is set or the terminal is dumb (no-color.org)."""
    return stream_is_terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
