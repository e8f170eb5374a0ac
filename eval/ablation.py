"""What each part of the retrieval adds: the same questions with one part after the other switched on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.assistant import Assistant
from eval.metrics import collapse
from eval.questions import Question
from eval.run import POOLS, rankings
from index.search import Searcher
from index.settings import SearchSettings

_PLAIN = SearchSettings(release_boost=0.0, identifier_boost=0.0)
STEPS: dict[str, SearchSettings] = {
    "BM25 alone": replace(_PLAIN, dense_weight=0.0, lexical_weight=1.0),
    "dense, language means subtracted": replace(_PLAIN, passage_weight=1.0, lexical_weight=0.0),
    "+ best sentence": replace(_PLAIN, lexical_weight=0.0),
    "+ BM25": _PLAIN,
    "+ releases and identifiers of the question": SearchSettings(),
}
_CUTOFF = 5


def run(assistant: Assistant, questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
    """Recall@5 in each pool for each step, and the chance that its gain in the mixed pool over the step before is luck (Holm)."""
    asked = [q for q in questions if q.answerable]
    out: dict[str, dict[str, Any]] = {}
    before: NDArray[np.float64] | None = None
    chances: dict[str, float] = {}
    for name, settings in STEPS.items():
        stepped = Assistant(Searcher(assistant.searcher.snapshot, assistant.searcher.encoder, settings))
        found = rankings(stepped, asked)
        scores = {pool: np.array([_recall(found[pool][q.id], q) for q in asked]) for pool in POOLS}
        out[name] = {f"recall@{_CUTOFF} {pool}": float(values.mean()) for pool, values in scores.items()}
        if before is not None:
            chances[name] = randomisation(scores["mixed"] - before, [q.group for q in asked])
        before = scores["mixed"]
    for name, chance in holm(chances).items():
        out[name]["p"] = chance
    return {name: row | {"p": row.get("p")} for name, row in out.items()}


def _recall(ranking: Sequence[str], question: Question) -> float:
    wanted = {f"e{n}" for n in range(len(question.evidence))}
    return len(wanted & set(collapse(ranking, question.evidence)[:_CUTOFF])) / len(wanted)


def randomisation(differences: NDArray[np.float64], groups: Sequence[str], samples: int = 10_000) -> float:
    """Two-sided paired randomisation test: how often flipping the signs of whole groups gives a mean as large."""
    sums: dict[str, float] = {}
    for difference, group in zip(differences.tolist(), groups, strict=True):
        sums[group] = sums.get(group, 0.0) + difference
    values = np.array(list(sums.values()))
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (samples, len(values)))
    return float(((np.abs(signs @ values) >= abs(values.sum()) - 1e-12).sum() + 1) / (samples + 1))


def holm(chances: dict[str, float]) -> dict[str, float]:
    """Holm's correction for several tests."""
    highest, out = 0.0, {}
    for at, (name, chance) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        highest = max(highest, min(1.0, chance * (len(chances) - at)))
        out[name] = highest
    return {name: out[name] for name in chances}
