"""Split sections into passages that keep their place: `document.text[start:end] == passage.text`.

LangChain's recursive splitter cuts within a section, at paragraphs, then sentences, then clauses. It keeps
every character (no strip, no overlap), so offsets are running sums. Code and tables are not prose: they
stay whole, or part between lines and rows, the table's header going along in `Passage.header`.
"""

from langchain_text_splitters import RecursiveCharacterTextSplitter

from ingest.language import HAN
from ingest.schema import Document, Passage
from ingest.sections import Section, find_sections
from ingest.sentences import SENTENCE_END
from ingest.settings import SplitSettings

_PROSE = [r"\n[ \t]*\n", SENTENCE_END, r"\n", f"(?<=[，、：,:;])(?![{HAN}]?$)", r"\s+", ""]
_LINES = [r"\n", r"\s+", ""]
_HAN_RANGES = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF))


def size(text: str) -> int:
    """Length in units of about a third of a token: a Han character counts 2, others 1."""
    return len(text) + sum(any(a <= ord(c) <= b for a, b in _HAN_RANGES) for c in text if c > "\u33ff")


def split_document(document: Document, settings: SplitSettings | None = None) -> list[Passage]:
    """Return the passages of a document in text order; together they hold all of it but headings and blanks."""
    settings = settings or SplitSettings()
    passages = []
    for section in find_sections(document.text, document.title):
        pieces = _split_section(document.text, section, settings.passage_units)
        for ordinal, (start, end, header) in enumerate(pieces):
            passages.append(
                Passage(
                    id=f"{document.id}#{section.anchor}/{ordinal}",
                    doc_id=document.id,
                    title=document.title,
                    project=document.project,
                    release=document.release,
                    lang=document.lang,
                    url=document.url,
                    section=section.path,
                    text=document.text[start:end],
                    start=start,
                    end=end,
                    header=header,
                )
            )
    return passages


def _split_section(text: str, section: Section, limit: int) -> list[tuple[int, int, str]]:
    """Cut a section's blocks to (start, end, table header), small neighbours joined up to `limit` units."""
    pieces: list[tuple[int, int, str]] = []
    for start, end, kind in _runs(section):
        header = ""
        if kind == "table" and size(text[start:end]) > limit:
            header_end = text.find("\n", text.find("\n", start) + 1) + 1
            header = text[start:header_end].strip()
        found = _cut(text, start, end, limit, _PROSE if kind == "prose" else _LINES)
        for number, (left, right) in enumerate(found):
            # Only rows after the first piece need the header repeated: the first piece holds it.
            pieces.append((left, right, header if number else ""))
    return _join(text, pieces, limit)


def _runs(section: Section) -> list[tuple[int, int, str]]:
    """Neighbouring prose blocks as one run; code and tables by themselves."""
    runs: list[tuple[int, int, str]] = []
    for start, end, kind in section.blocks:
        if runs and kind == runs[-1][2] == "prose":
            runs[-1] = (runs[-1][0], end, kind)
        else:
            runs.append((start, end, kind))
    return runs


def _cut(text: str, start: int, end: int, limit: int, separators: list[str]) -> list[tuple[int, int]]:
    splitter = RecursiveCharacterTextSplitter(
        separators=separators,
        is_separator_regex=True,
        keep_separator="end",
        chunk_size=limit,
        chunk_overlap=0,
        length_function=size,
        strip_whitespace=False,
    )
    spans = []
    position = start
    for piece in splitter.split_text(text[start:end]):
        stop = position + len(piece)
        if text[position:stop] != piece:
            raise AssertionError(f"the splitter lost characters at {position}")
        left, right = position, stop
        while left < right and text[left].isspace():
            left += 1
        while right > left and text[right - 1].isspace():
            right -= 1
        if left < right:
            spans.append((left, right))
        position = stop
    return spans


def _join(text: str, pieces: list[tuple[int, int, str]], limit: int) -> list[tuple[int, int, str]]:
    """Join a piece to the one before it where both together are within `limit`."""
    joined: list[tuple[int, int, str]] = []
    for start, end, header in pieces:
        if joined and not header and size(text[joined[-1][0] : end]) <= limit:
            joined[-1] = (joined[-1][0], end, joined[-1][2])
        else:
            joined.append((start, end, header))
    return joined
