"""The answer as every door gives it out: terminal, page, Python (contract: README, "The answer as JSON")."""

from dataclasses import asdict, dataclass, field
from typing import Any

from ingest.schema import Passage

SEPARATOR = " › "


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A quotation and its place: `document.text[start:end] == quote`. `score` is cosine, higher is better.

    `twin` is the same section in another language ("pytorch-2.12.en#linalg-eigh"), "" where there is none.
    `fact` is the part of the quote that is the number, name, PR, date or release asked for, "" where none is.
    """

    n: int
    passage_id: str
    document: str
    release: str
    lang: str
    section: str
    url: str
    quote: str
    fact: str = ""
    twin: str = ""
    text: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """A passage that was found, cited or not."""

    passage_id: str
    document: str
    release: str
    lang: str
    section: str
    url: str
    text: str
    score: float


def place(passage: Passage) -> dict[str, str]:
    """Where a passage stands, as the fields that citations and retrieved passages share."""
    return {
        "passage_id": passage.id,
        "document": passage.title,
        "release": passage.release,
        "lang": passage.lang,
        "section": SEPARATOR.join(passage.section),
        "url": passage.url,
        "text": passage.text,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the assistant says. Without `answered` there are no citations, and `answer` says what is missing.

    `standalone` is what a follow-up was taken to ask ("" for a question that stands alone). `computed` is the
    program's own sentence, which compares quoted numbers, and no quotation. `confidence` is the probability that
    the posts tell; `timings_ms` are load, encode, search and answer.
    """

    question: str
    standalone: str = ""
    lang: str
    answered: bool
    confidence: float
    answer: str
    computed: str = ""
    generator: str = "extractive"
    citations: tuple[Citation, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, keys in the order of the contract."""
        record = asdict(self)
        return record | {"citations": list(record["citations"]), "retrieved": list(record["retrieved"])}
