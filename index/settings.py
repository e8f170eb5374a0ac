"""How a snapshot is built and searched; the build's settings travel in its manifest."""

from dataclasses import dataclass, field

from ingest.settings import VAR, SplitSettings

INDEX = VAR / "index"
FORMAT_VERSION = 1
BUNDLED = "bundled"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSettings:
    """`model`: "bundled", or any name or folder that SentenceTransformer loads."""

    model: str = BUNDLED
    split: SplitSettings = field(default_factory=SplitSettings)
    batch_size: int = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Weights tuned on the `dev` questions (`python -m eval`), none of them on `test`.

    A passage's score is `passage_weight` x its own cosine + (1 - `passage_weight`) x its best sentence's,
    both centred; `dense_weight` 0 leaves BM25 alone. BM25 adds up to `lexical_weight`, in the question's language only; a release that the
    question names adds `release_boost`; identifiers found word for word add up to `identifier_boost`.
    """

    candidates: int = 200
    dense_weight: float = 1.0
    passage_weight: float = 0.4
    lexical_weight: float = 0.3
    release_boost: float = 0.2
    identifier_boost: float = 0.2
