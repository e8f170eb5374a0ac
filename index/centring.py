"""Take the language out of vectors: e5 puts texts of one language nearer than texts of one meaning.

Passage vectors lose the mean of their language, question vectors the mean of question-like texts of
theirs; both are then brought back to length 1 (all-but-the-mean, Mu & Viswanath 2018, by language). A mean
of few texts is shrunk towards a prior, so that one short post is not centred away.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Means = dict[str, Float32]

PRIOR_TEXTS = 20


def language_means(vectors: Float32, langs: Sequence[str], prior: Mapping[str, Float32]) -> Means:
    """Return a mean (dimension,) for each language of `langs` and of `prior`, and one for any other: "".

    `vectors` float32 (n, d); `prior` counts as PRIOR_TEXTS texts of its language. A language without a
    prior is shrunk towards the mean of the others' priors, or of all vectors.
    """
    labels = np.asarray(langs)
    fallback: NDArray[np.float64] = np.mean(list(prior.values()) if prior else vectors, axis=0, dtype=np.float64)
    means: Means = {"": fallback.astype(np.float32)}
    for lang in sorted({*langs, *prior}):
        own = vectors[labels == lang]
        known = prior.get(lang, fallback)
        total = own.sum(axis=0, dtype=np.float64) + PRIOR_TEXTS * np.asarray(known, dtype=np.float64)
        means[lang] = (total / (len(own) + PRIOR_TEXTS)).astype(np.float32)
    return means


def centre(vectors: Float32, langs: Sequence[str], means: Mapping[str, Float32]) -> Float32:
    """Subtract each row's language mean and give it length 1; float32 (n, d) in and out."""
    rows = np.stack([means.get(lang, means[""]) for lang in langs]) if len(langs) else np.zeros_like(vectors)
    moved = vectors - rows
    length = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.where(length > 1e-6, moved / np.maximum(length, 1e-6), vectors).astype(np.float32)
