"""Search a snapshot: centred dense, best sentence, BM25 within the question's language, releases, identifiers."""

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from index.centring import centre
from index.dense import passage_key
from index.encoder import QuestionEncoder
from index.settings import SearchSettings
from index.snapshot import Snapshot
from ingest.schema import Passage

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is searched for.

    `releases` and `langs` filter (empty: all); `prefer_releases` and `identifiers` only lift what has them.
    """

    text: str
    lang: str
    releases: Collection[str] = ()
    langs: Collection[str] = ()
    prefer_releases: Collection[str] = ()
    identifiers: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage found. `score` is cosine (higher is better); `rank_score` adds the other legs and orders hits.

    `sentence_scores` are the centred cosines of the passage's sentences, in their order.
    """

    passage: Passage
    row: int
    score: float
    rank_score: float
    lexical: float
    sentence_scores: tuple[float, ...] = field(repr=False)


class Searcher:
    """A snapshot and the encoder that agrees with it. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot, encoder: QuestionEncoder, settings: SearchSettings | None = None) -> None:
        self.snapshot = snapshot
        self.encoder = encoder
        self.settings = settings or SearchSettings()

    def encode(self, query: Query) -> Float32:
        """The question as a centred unit vector, float32 (dimension,)."""
        raw = self.encoder.encode_questions([query.text])
        vector: Float32 = centre(raw, [query.lang], self.snapshot.question_means)[0]
        return vector

    def search(self, query: Query, top_k: int, vector: Float32) -> list[Hit]:
        """Return the best `top_k` passages for `vector` (of `encode`), best first, ties by passage id."""
        snapshot, settings = self.snapshot, self.settings
        allowed = self._allowed(query)
        keys = None if allowed is None else [key for key, row in snapshot.row_of_key.items() if row in allowed]
        cosines = {
            snapshot.row_of_key[key]: score
            for key, score in snapshot.dense.search(vector, max(settings.candidates, top_k), keys).items()
        }  # fmt: skip
        lexical = {
            row: score for row, score in snapshot.lexical.search(query.text).items()
            if snapshot.passages[row].lang == query.lang and (allowed is None or row in allowed)
        }  # fmt: skip
        best_lexical = sorted(lexical, key=lambda row: (-lexical[row], snapshot.passages[row].id))[: max(50, top_k)]
        missing = [passage_key(snapshot.passages[row].id) for row in best_lexical if row not in cosines]
        if missing:
            cosines |= {snapshot.row_of_key[key]: score for key, score in snapshot.dense.search(vector, len(missing), missing).items()}
        hits = [self._hit(row, cosine, lexical.get(row, 0.0), query, vector) for row, cosine in cosines.items()]
        return sorted(hits, key=lambda hit: (-hit.rank_score, hit.passage.id))[:top_k]

    def _allowed(self, query: Query) -> set[int] | None:
        if not query.releases and not query.langs:
            return None
        return {
            row for row, p in enumerate(self.snapshot.passages)
            if (not query.releases or p.release in query.releases) and (not query.langs or p.lang in query.langs)
        }  # fmt: skip

    def _hit(self, row: int, cosine: float, lexical: float, query: Query, vector: Float32) -> Hit:
        settings, passage = self.settings, self.snapshot.passages[row]
        rows = self.snapshot.sentence_rows(row)
        sentences = self.snapshot.sentences[rows.start : rows.stop].astype(np.float32) @ vector
        best = float(sentences.max()) if len(sentences) else cosine
        score = settings.passage_weight * cosine + (1 - settings.passage_weight) * best
        rank = settings.dense_weight * score + settings.lexical_weight * lexical
        if passage.release in query.prefer_releases:
            rank += settings.release_boost
        if query.identifiers:
            text = fold(passage.encoded_text())
            rank += settings.identifier_boost * sum(i in text for i in query.identifiers) / len(query.identifiers)
        return Hit(
            passage=passage,
            row=row,
            score=round(score, 6),
            rank_score=round(rank, 6),
            lexical=round(lexical, 6),
            sentence_scores=tuple(round(float(s), 6) for s in sentences),
        )


def fold(text: str) -> str:
    """NFKC and casefold, as identifiers are compared."""
    return unicodedata.normalize("NFKC", text).casefold()
