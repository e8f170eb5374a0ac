"""The dense leg: FAISS over centred unit vectors (inner product = cosine), with ids of our own.

A passage's id is a hash of its name, the same in every build. FAISS pads short results with -1; those go.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


def passage_key(passage_id: str) -> int:
    """A positive int64 that stays the same as long as the passage keeps its name."""
    return int.from_bytes(hashlib.blake2b(passage_id.encode(), digest_size=8).digest(), "big") >> 1


def build(vectors: Float32, keys: Sequence[int], path: Path) -> None:
    """Write an exact inner-product index of `vectors`, float32 (n, d), rows of length 1."""
    index = faiss.IndexIDMap2(faiss.IndexFlatIP(vectors.shape[1]))
    index.add_with_ids(np.ascontiguousarray(vectors), np.asarray(keys, dtype=np.int64))
    faiss.write_index(index, str(path))


class DenseIndex:
    """A FAISS file opened for search."""

    def __init__(self, path: Path) -> None:
        self._index = faiss.read_index(str(path))
        self.dimension: int = self._index.d
        self.count: int = self._index.ntotal

    def search(self, vector: Float32, k: int, allowed: Sequence[int] | None = None) -> dict[int, float]:
        """Return {key: cosine} of the `k` nearest, only among the keys `allowed` where given."""
        if k < 1 or not self.count or (allowed is not None and not len(allowed)):
            return {}
        parameters = None
        if allowed is not None:
            parameters = faiss.SearchParameters(sel=faiss.IDSelectorBatch(np.asarray(allowed, dtype=np.int64)))  # type: ignore[call-arg]
        scores, keys = self._index.search(vector.reshape(1, -1), min(k, self.count), params=parameters)
        return {int(key): float(score) for key, score in zip(keys[0], scores[0], strict=True) if key >= 0}
