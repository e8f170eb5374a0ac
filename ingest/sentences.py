"""Where sentences end, in Chinese and English, with offsets: splitting and quoting use the same rule."""

import re

# A full stop ends a sentence only before white space and an opening that a sentence can have, so
# neither `2.12` nor `torch.compile` is cut; abbreviations that often stand before a capital do not end one.
_CLOSING = "”’」』）)】》\"'*_`"
_CLOSING_HAN = _CLOSING.replace("`", "")  # after 。 a backtick opens the next sentence: a span ends before the stop
_NO_END = r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bNo\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bFig\.)(?<!\bSec\.)(?<!\bapprox\.)(?<!\bincl\.)(?<!\bresp\.)(?<!\betc\.)"
SENTENCE_END = (
    rf"(?<=[。！？；])(?![{_CLOSING_HAN}。！？；])|(?<=[。！？；][{_CLOSING_HAN}])(?![{_CLOSING_HAN}。！？；])"
    rf"|(?:(?<=[.!?])|(?<=[.!?][{_CLOSING}])){_NO_END}[ \t\n]+(?=[\"'“‘(\[*_]*(?:[A-Z0-9`#@\u3400-\u9fff]|[a-z]+[._]\w))"
    # A sentence may begin with a lower-case name ("torchrun takes …") after a word that is no abbreviation.
    rf"|(?<=[a-z]{{4}}[.!?]){_NO_END}[ \t\n]+(?=[a-z])"
)
_END = re.compile(SENTENCE_END)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_MARKER = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]+)?")
_BLOCK_START = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]|\|)")
_DELIMITER_ROW = re.compile(r"[ \t|:\-]+")
_LETTER = re.compile(r"\w")
_CODE_SPAN = re.compile(r"`[^`\n]+`")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence of a Markdown text, in order, markers and blank edges left out.

    A fenced block, a table row and a list item end where they end; soft-wrapped lines are one paragraph.
    """
    spans: list[tuple[int, int]] = []
    for start, end, whole in _paragraphs(text):
        cuts = [] if whole else _cuts(text, start, end)
        for left, right in zip([start, *(stop for _, stop in cuts)], [*(begin for begin, _ in cuts), end], strict=True):
            span = _trim(text, left, right)
            if span is not None:
                spans.append(span)
    return spans


def _cuts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Sentence ends in text[start:end] as (end of one, start of the next), none inside a code span."""
    code = [m.span() for m in _CODE_SPAN.finditer(text, start, end)]
    return [
        m.span() for m in _END.finditer(text, start, end)
        if start < m.start() and m.end() < end and not any(a < m.start() < b for a, b in code)
    ]  # fmt: skip


def _paragraphs(text: str) -> list[tuple[int, int, bool]]:
    """Blocks as (start, end, whole); `whole` ones (fences, table rows) are never cut into sentences."""
    blocks: list[tuple[int, int, bool]] = []
    open_start: int | None = None
    fence: str | None = None
    fence_start = position = 0
    for line in text.splitlines(keepends=True):
        begin, position = position, position + len(line)
        mark = _FENCE.match(line)
        if fence is not None:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                blocks.append((fence_start, position, True))
                fence = None
            continue
        row = line.lstrip().startswith("|")
        if open_start is not None and (mark or row or not line.strip() or _BLOCK_START.match(line)):
            blocks.append((open_start, begin, False))
            open_start = None
        if mark:
            fence, fence_start = mark[1], begin
        elif row:
            if not _DELIMITER_ROW.fullmatch(line.strip()):
                blocks.append((begin, position, True))
        elif line.strip() and open_start is None:
            open_start = begin
    if fence is not None:
        blocks.append((fence_start, position, True))
    elif open_start is not None:
        blocks.append((open_start, position, False))
    return blocks


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Drop white space and list, quote or heading markers at the edges; None if no letter is left."""
    marker = _MARKER.match(text, start, end)
    if marker:
        start = marker.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if _LETTER.search(text, start, end) else None
