"""The two records that leave this folder: a document (one post in one language) and its passages."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One post in one language.

    `text` is clean Markdown (NFC, no front matter); every offset in the project counts characters of it.
    `release` is "2.12" or "" where the post names none; `published` is an ISO date or "".
    """

    id: str
    title: str
    project: str
    release: str
    lang: str
    url: str
    published: str
    text: str
    sha256: str
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sha256 != text_hash(self.text):
            raise ValueError(f"document {self.id}: sha256 {self.sha256} is not that of its text")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"sources": list(self.sources)}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        return cls(**(record | {"sources": tuple(record.get("sources", ()))}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of one section: `document.text[start:end] == text`, always.

    `id` is DOCUMENT#ANCHOR/ORDINAL; `section` the heading path below the title; `header` the header
    rows of a table whose later rows this is (shown and encoded with it, not part of the quote).
    """

    id: str
    doc_id: str
    title: str
    project: str
    release: str
    lang: str
    url: str
    section: tuple[str, ...]
    text: str
    start: int
    end: int
    header: str = ""

    def __post_init__(self) -> None:
        if self.end - self.start != len(self.text):
            raise ValueError(f"passage {self.id}: offsets {self.start}-{self.end} for {len(self.text)} characters")

    @property
    def section_id(self) -> str:
        """DOCUMENT#ANCHOR, the unit that evaluation counts."""
        return self.id.rpartition("/")[0]

    @property
    def evidence_id(self) -> str:
        """The section without its language: the same for both language forms of a post."""
        document, _, anchor = self.section_id.partition("#")
        return f"{document.removesuffix('.' + self.lang)}#{anchor}"

    def encoded_text(self) -> str:
        """What the encoder and BM25 see: title, heading path and text."""
        path = " › ".join(self.section)
        return "\n".join(part for part in (f"{self.title} › {path}" if path else self.title, self.header, self.text) if part)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"section": list(self.section)}

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Self:
        return cls(**(record | {"section": tuple(record["section"])}))


def text_hash(text: str) -> str:
    """SHA-256 of a text's UTF-8 form, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
