"""Which release a post is about, and how releases compare."""

import re
from collections import Counter
from pathlib import Path

_VERSION = re.compile(r"v?(\d{1,2})\.(\d{1,3})(?:\.\d+)*(?:[-.]?(?:rc|a|b|post|dev)\d*)?", re.IGNORECASE)
_NAMED = r"(?:PyTorch|NumPy|JAX|TensorFlow|Gradio|vLLM)\s*®?\s*(?:版本\s*|version\s+|release\s+)?[vV]?(\d{1,2}\.\d{1,3})(?![\d%])"
_ANNOUNCED = re.compile(
    rf"(?:announce[^.\n]{{0,60}}?|宣布[^。\n]{{0,20}}?|introducing\s)\[?{_NAMED}|{_NAMED}[^。\n]{{0,60}}?正式发布", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:releases/tag/v|blog/(?:[a-z]+-?))(\d{1,2})[.-](\d{1,3})", re.IGNORECASE)
_MENTIONED = re.compile(_NAMED, re.IGNORECASE)
_IN_NAME = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,3})(?!\d)")


def parse(text: str) -> str:
    """Turn "v2.12.1" into "2.12"; "" where `text` is no version. A patch release belongs to its minor release."""
    match = _VERSION.fullmatch(text.strip())
    return f"{int(match[1])}.{int(match[2])}" if match else ""


def sort_key(release: str) -> tuple[int, ...]:
    """Order releases by number, 2.2 before 2.12; what is no version comes first."""
    return tuple(int(part) for part in release.split(".")) if parse(release) else ()


def detect(*, title: str, head: str, path: Path, text: str) -> str:
    """Return the release that a post without front matter is about, or "".

    Title, addresses near the top, the sentence that announces it, the file's name and the commonest
    mention each have a vote, so that one wrong title (it happens in translations) does not decide.
    """
    votes: Counter[str] = Counter()

    def vote(found: str, weight: int) -> None:
        if found:
            votes[found] += weight

    vote(_first(_MENTIONED, title), 2)
    for match in list(_ADDRESS.finditer(head))[:1]:
        vote(f"{int(match[1])}.{int(match[2])}", 2)
    announced = _ANNOUNCED.search(head)
    if announced:
        vote(announced[1] or announced[2], 3)
    for name in (path.stem, path.parent.name):
        match_name = _IN_NAME.search(name)
        if match_name:
            vote(f"{int(match_name[1])}.{int(match_name[2])}", 2)
            break
    mentions = Counter(_MENTIONED.findall(text))
    if mentions:
        vote(max(mentions, key=lambda r: (mentions[r], sort_key(r))), 1)
    return max(votes, key=lambda r: (votes[r], sort_key(r))) if votes else ""


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""
