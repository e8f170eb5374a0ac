"""The lexical leg: BM25 weights made by bm25s, read from memory-mapped arrays at question time.

Scoring touches only the postings of the question's tokens, so it needs neither scipy nor bm25s and gives
no zero scores. A score is the share of the question's lexical weight that a passage explains: 0 to 1.
"""

import json
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from index.tokens import tokenize

K1, B = 1.5, 0.75


def build(texts: Sequence[str], folder: Path) -> None:
    """Write the BM25 index (Lucene's variant) of `texts` under `folder`."""
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)

    tokens = [tokenize(text) for text in texts]
    vocabulary = {token: number for number, token in enumerate(sorted({t for doc in tokens for t in doc}))}
    index = bm25s.BM25(k1=K1, b=B, method="lucene")
    ids = [[vocabulary[t] for t in doc] for doc in tokens]
    index.index(bm25s.tokenization.Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
    index.save(folder, show_progress=False)


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """Postings by token: passages `rows[starts[t]:starts[t + 1]]` with the BM25 weights beside them."""

    vocabulary: dict[str, int]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    weights: NDArray[np.float32]
    ceiling: float
    documents: int

    @classmethod
    def load(cls, folder: Path) -> Self:
        starts, rows, weights = (
            np.load(folder / f"{name}.csc.index.npy", mmap_mode="r", allow_pickle=False) for name in ("indptr", "indices", "data")
        )
        vocabulary = json.loads((folder / "vocab.index.json").read_text(encoding="utf-8"))
        vocabulary.pop("", None)  # bm25s's own mark for an empty document, without postings
        documents = json.loads((folder / "params.index.json").read_text(encoding="utf-8"))["num_docs"]
        return cls(vocabulary, starts, rows, weights, float(weights.max(initial=1.0)), documents)

    def search(self, question: str) -> dict[int, float]:
        """Return {row: share of the question's weight explained}, every value in (0, 1].

        A token that no passage has weighs as much as the rarest, so that a question about something else
        does not score by its common words.
        """
        scores: dict[int, float] = {}
        possible = 0.0
        for token in sorted(set(tokenize(question))):
            number = self.vocabulary.get(token)
            if number is None:
                possible += self.ceiling
                continue
            begin, end = int(self.starts[number]), int(self.starts[number + 1])
            weights = self.weights[begin:end]
            possible += float(weights.max(initial=0.0))
            for row, weight in zip(self.rows[begin:end].tolist(), weights.tolist(), strict=True):
                scores[row] = scores.get(row, 0.0) + weight
        return {row: min(score / possible, 1.0) for row, score in scores.items()} if possible else {}

    def rarity(self, token: str) -> float:
        """Inverse document frequency of a token (Lucene's); the highest for one that no passage has."""
        number = self.vocabulary.get(token)
        count = 0 if number is None else int(self.starts[number + 1] - self.starts[number])
        return math.log(1 + (self.documents - count + 0.5) / (count + 0.5))

    def known(self, token: str) -> bool:
        """Whether any passage holds `token`."""
        return token in self.vocabulary
