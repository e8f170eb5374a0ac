"""Recover a post's structure: from what people really save to clean Markdown.

Posts come flattened to one line, with bare heading lines, with HTML tables, kramdown attributes and
invisible spaces. `clean` turns each into the Markdown its author meant; text in fences stays as it is.
"""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from markdownify import markdownify

_INVISIBLE = re.compile("[\u200b\u200c\u2060\ufeff\u00ad\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029]")
_SPACES = re.compile("[\u00a0\u2002-\u200a\u202f\u3000]")
_FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:.*?^ {0,3}\1[`~]*[ \t]*$|.*\Z)", re.DOTALL | re.MULTILINE)
_CODE_SPAN = re.compile(r"(`+)(?!`)[^\n]+?(?<!`)\1(?!`)")
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(r"<t[dh]\b[^>]*>(.*?)(?=</?t[dhr]\b|</table)", re.DOTALL | re.IGNORECASE)
_TAGS = "a|b|br|center|div|em|figcaption|figure|font|hr|i|iframe|img|li|ol|p|small|span|strong|sub|sup|u|ul|video"
_TAG = re.compile(rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ATTRIBUTES = re.compile(r"[ \t]*\{:[^{}\n]*\}")
_TABLE_ROW = re.compile(r"^[ \t]+(?=\|)", re.MULTILINE)
_ANY_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_FLAT_MARK = re.compile(r"[^\n] #{1,6} |[。）)] \*\*[^*\n]{2,80}\*\* ")
_ANCHOR = re.compile(r"[ \t]*\{#([^\s{}]+)\}[ \t]*$")
_EMPHASIS_OR_CODE = re.compile(r"`([^`]+)`|\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)")
_HAN = "\u3400-\u9fff"

FLAT_LINE_CHARS = 1000
HEADING_CHARS = 60


def normalise(text: str) -> str:
    """NFC, line feeds only, no invisible characters, plain spaces."""
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _SPACES.sub(" ", _INVISIBLE.sub("", text))


def clean(text: str) -> str:
    """Return `text` as Markdown with its headings, lists, tables and code in place; ends with a line feed."""
    text = "".join(_unfold(line) for line in text.splitlines(keepends=True))
    text = _outside_code(text, _clean_markup)
    if not _ANY_HEADING.search(_FENCED.sub("", text)):
        text = _mark_bare_headings(text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def heading_text(text: str) -> str:
    """A heading as people read it: no anchor, emphasis, code marks or link targets."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", _ANCHOR.sub("", text))
    return _EMPHASIS_OR_CODE.sub(lambda m: m[1] or "", text).strip()


def anchor_of(heading: str) -> str:
    """The explicit anchor of a heading ("{#fused-adagrad}"), or ""."""
    match = _ANCHOR.search(heading)
    return match[1] if match else ""


def slug(text: str) -> str:
    """A heading or a file name as an anchor: lower case, letters and digits of any script, hyphens."""
    return re.sub(r"[^\w.]+", "-", text.casefold()).strip("-.") or "section"


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Apply `change` to what is not fenced."""
    out, position = [], 0
    for match in _FENCED.finditer(text):
        out += [change(text[position : match.start()]), match[0]]
        position = match.end()
    return "".join([*out, change(text[position:])])


def _clean_markup(text: str) -> str:
    text = _TABLE.sub(lambda m: "\n\n" + _table(m[0]) + "\n\n", _COMMENT.sub("", text))
    parts, position = [], 0
    for code in _CODE_SPAN.finditer(text):
        parts += [_strip_tags(text[position : code.start()]), code[0]]
        position = code.end()
    return _TABLE_ROW.sub("", "".join([*parts, _strip_tags(text[position:])]))


def _strip_tags(text: str) -> str:
    """Drop kramdown attributes and the HTML tags that only lay out; `List<int>` is no tag and stays."""
    text = re.sub(r"<br\s*/?>", "\n", text, flags=re.IGNORECASE)
    return _ATTRIBUTES.sub("", _TAG.sub("", text))


def _table(html: str) -> str:
    """An HTML table as a pipe table; one that holds code blocks as its cells, one after the other."""
    if "```" in html or "<pre" in html.lower():
        cells = (_TAG.sub("", re.sub(r"</?pre[^>]*>", "\n```\n", cell)).strip() for cell in _CELL.findall(html))
        return "\n\n".join(cell for cell in cells if cell)
    lines = (line.strip() for line in markdownify(html).splitlines())
    return "\n".join(line for line in lines if line)


def _unfold(line: str) -> str:
    """Give a flattened line its line breaks back.

    Only a very long line with Markdown marks in its middle is one. A heading in bold ends with the bold;
    another one before the next mark or sentence. A space between two Chinese characters, or after a
    full stop, was a line break.
    """
    if len(line) < FLAT_LINE_CHARS or not _FLAT_MARK.search(line) or line.lstrip().startswith(("|", "<")):
        return line
    line = re.sub(r"\s+(#{1,6}) (?=\S)", r"\n\n\1 ", line)
    out = []
    level = 2
    for part in line.split("\n\n"):
        mark = re.match(r"(#{1,6}) ", part)
        level = len(mark[1]) if mark else level
        lead = "#" * min(level + 1, 6)
        unfolded = re.sub(
            rf"(^|[。！？）)*]|\n)[ \t]*\*\*([^*\n]{{2,{HEADING_CHARS + 30}}}?)\*\*[ \t]+(?=\S)",
            lambda m, lead=lead: f"{m[1]}\n\n{lead} {m[2].strip()}\n\n",  # type: ignore[misc]
            _cut_flat_heading(part, mark.end()) if mark else part,
        )
        items = re.sub(r"(^|\s)- (?=\S)", "\n- ", unfolded)
        out.append(re.sub(rf"(?<=[。！？]) +|(?<=[{_HAN}；]) +(?=[{_HAN}])", "\n\n", items).strip())
    return "\n\n".join(out) + "\n"


def _cut_flat_heading(block: str, start: int) -> str:
    """End a heading that runs into its text: after its bold, or before a list, a link or a source note."""
    bold = re.compile(r"\*\*([^*\n]+)\*\*").match(block, start)
    if bold:
        return f"{block[:start]}{bold[1].strip()}\n\n{block[bold.end() :].strip()}"
    stop = re.compile(r"\s(?=-\s|\*\*|https?://|\(https?|来源：|Source:)").search(block, start)
    end = stop.start() if stop and stop.start() - start <= HEADING_CHARS else min(len(block), start + HEADING_CHARS)
    if not stop and len(block) - start > HEADING_CHARS:
        space = block.rfind(" ", start, end)
        end = space if space > start else end
    return f"{block[:end].rstrip()}\n\n{block[end:].strip()}"


def _mark_bare_headings(text: str) -> str:
    """Mark the headings of a text that has none: short lines without a stop, before a longer one."""
    lines = text.split("\n")
    full = [i for i, line in enumerate(lines) if line.strip()]
    code = {i for match in _FENCED.finditer(text) for i in range(text.count("\n", 0, match.start()), text.count("\n", 0, match.end()) + 1)}
    for here, following in pairwise(full):
        if here in code:
            continue
        line = lines[here].strip()
        next_line = lines[following].strip()
        longer = len(next_line) > max(len(line), 12) or next_line.endswith(("：", ":"))
        bare = len(line) <= 40 and not re.search(r"[。.！!？?；;：:，,、）)\]`]$", line) and not re.match(r"[-*+>|\d#!<`\[]", line)
        if bare and (longer or _looks_bare(lines[following])) and re.search(r"\w", line):
            lines[here] = f"\n## {line}\n"
        elif here == full[0] and len(line) <= 80 and re.match(r"[\w“《(（]", line) and not re.search(r"[。！？；]$", line):
            lines[here] = f"# {line}\n"
        else:
            lines[here] = f"{lines[here]}\n"
    return "\n".join(lines)


def _looks_bare(line: str) -> bool:
    return len(line.strip()) <= 40 and not re.search(r"[。.！？；：:，]$", line.strip())
