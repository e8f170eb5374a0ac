"""An answer for people at a terminal: the answer, then its numbered sources with quote and address."""

import re
import unicodedata
from collections.abc import Collection

from app.answer import Answer
from app.messages import language_name, say

_BOLD, _DIM, _UNDERLINE, _OFF = "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[0m"


def printable(text: str) -> str:
    """Posts and questions are strangers' text: no escape sequence or direction mark of theirs reaches the terminal."""
    return "".join(c if c in "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co") else " " for c in text)


def render(answer: Answer, *, colour: bool = False, marked: Collection[str] = (), width: int = 88) -> str:
    """The answer as text, ending without a line feed. With colour the asked fact is bold, `marked` words are underlined."""
    facts = _pattern([printable(c.fact) for c in answer.citations if c.fact]) if colour else None
    words = _pattern([w for w in marked if len(w) > 1]) if colour else None

    def underline(text: str) -> str:
        return words.sub(lambda m: f"{_UNDERLINE}{m[0]}{_OFF}", text) if words else text

    def mark(text: str) -> str:
        if not facts:
            return underline(text)
        bold = [f"{_BOLD}{fact}{_OFF}" for fact in facts.findall(text)]
        plain = [underline(part) for part in facts.split(text)]
        return "".join(part + fact for part, fact in zip(plain, [*bold, ""], strict=True))

    def dim(text: str) -> str:
        return f"{_DIM}{text}{_OFF}" if colour else text

    lines = [_fold(printable(say("understood", answer.lang, question=answer.standalone)), width), ""] if answer.standalone else []
    lines.append(mark(_fold(printable(answer.answer), width)))
    if answer.computed:
        lines.append(dim(_fold(printable(answer.computed), width)))
    if answer.citations:
        lines += ["", say("sources", answer.lang)]
    for c in answer.citations:
        place = " › ".join(part for part in (c.document, c.section) if part)
        about = ", ".join(part for part in (c.release, _other_language(c.lang, answer.lang)) if part)
        lines.append(_fold(f"[{c.n}] {printable(place)}" + (f" ({about})" if about else ""), width, indent="    "))
        quote = printable(c.quote)
        lines.append("    " + mark(_fold(f"“{quote}”", width - 4, indent="     ") if "```" not in quote else _indent(quote)))
        if c.url:
            lines.append("    " + dim(printable(c.url)))
    if not answer.answered and answer.retrieved:
        lines += ["", say("nearest", answer.lang)]
        for r in answer.retrieved[:3]:
            lines.append(_fold(f"-   {printable(' › '.join(part for part in (r.document, r.section) if part))}", width, indent="    "))
    return "\n".join(lines)


def _other_language(lang: str, shown_in: str) -> str:
    return "" if lang == shown_in else say("section_in", shown_in, name=language_name(lang, shown_in))


def _indent(text: str) -> str:
    return text.replace("\n", "\n    ")


def _fold(text: str, width: int, indent: str = "") -> str:
    """Wrap at `width` columns, a Han character being two wide, never inside a Latin word."""
    if "```" in text:
        return text
    out: list[str] = []
    for paragraph in text.split("\n"):
        line, columns = "", 0
        for piece in re.findall(r"[^\S\n]+|[\u3000-\u9fff\uff00-\uffef]|[^\s\u3000-\u9fff\uff00-\uffef]+", paragraph):
            wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in piece)
            closing = piece[0] in "，。！？；：、）”》】"
            if columns + wide > width and line.strip() and not piece.isspace() and not closing:
                out.append(line.rstrip())
                line, columns = indent, len(indent)
            line, columns = line + piece, columns + wide
        out.append(line)
    return "\n".join(out)


def _pattern(words: Collection[str]) -> re.Pattern[str] | None:
    """Any of the words, longest first, wherever a line was folded."""
    ordered = sorted({r"\s+".join(map(re.escape, w.split())) for w in words}, key=lambda w: (-len(w), w))
    return re.compile("|".join(ordered), re.IGNORECASE) if ordered else None
