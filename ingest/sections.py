"""The sections of a clean Markdown text: headings found by a Markdown parser, never inside a fence."""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.structure import anchor_of, heading_text, slug

_PARSER = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level.

    `path` is the heading path below the title; text[start:end] is the body, without the heading line.
    `blocks` are (start, end, kind) of its parts, kind being "prose", "code" or "table".
    """

    anchor: str
    path: tuple[str, ...]
    level: int
    start: int
    end: int
    blocks: tuple[tuple[int, int, str], ...]


def find_sections(text: str, title: str = "") -> list[Section]:
    """Return the sections of `text` in order; text before the first heading has the anchor "intro".

    Anchors are the explicit ones or the heading's slug, made unique by a number.
    """
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    tokens = [t for t in _PARSER.parse(text) if t.level == 0 and t.map and t.nesting >= 0]
    heads = [(i, t) for i, t in enumerate(tokens) if t.type == "heading_open"]
    sections: list[Section] = []
    seen: dict[str, int] = {}
    stack: list[tuple[int, str]] = []

    def add(anchor: str, level: int, first: int, last: int, inside: list[Token]) -> None:
        seen[anchor] = seen.get(anchor, 0) + 1
        if seen[anchor] > 1:
            anchor = f"{anchor}-{seen[anchor]}"
        path = tuple(name for _, name in stack)
        blocks = tuple(_block(t, lines) for t in inside)
        sections.append(Section(anchor=anchor, path=path, level=level, start=lines[first], end=lines[last], blocks=blocks))

    total = len(lines) - 1
    first_head = heads[0][0] if heads else len(tokens)
    if first_head:
        add("intro", 0, 0, _first_line(tokens[first_head]) if heads else total, tokens[:first_head])
    for number, (index, token) in enumerate(heads):
        after = heads[number + 1] if number + 1 < len(heads) else None
        first, last = _line_range(token)
        raw = text[lines[first] : lines[last]].strip("\n").split("\n")[0].strip().strip("#").strip()
        level, name = int(token.tag[1]), heading_text(raw)
        while stack and stack[-1][0] >= level:
            stack.pop()
        if name and not (level == 1 and (name == title or (not stack and number == 0))):
            stack.append((level, name))
        stop = _first_line(after[1]) if after else total
        inside = tokens[index + 1 : after[0] if after else len(tokens)]
        add(anchor_of(raw) or slug(name), level, last, stop, inside)
    return sections


def _line_range(token: Token) -> tuple[int, int]:
    assert token.map is not None  # filtered by the caller
    return token.map[0], token.map[1]


def _first_line(token: Token) -> int:
    return _line_range(token)[0]


def _block(token: Token, lines: list[int]) -> tuple[int, int, str]:
    first, last = _line_range(token)
    kind = {"fence": "code", "code_block": "code", "table_open": "table"}.get(token.type, "prose")
    return lines[first], lines[min(last, len(lines) - 1)], kind
