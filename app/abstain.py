"""Decide whether the posts tell: small boosted trees over a few features, fitted on `dev`, kept as data.

`python -m eval calibrate` writes `abstain.json`. Fused rank scores have no absolute meaning, so none is used.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.extract import Sentence, asks_exactly, has_fact, has_pattern
from app.plan import Plan
from app.retrieve import named_hits
from index.search import Hit
from index.snapshot import Snapshot
from index.tokens import tokenize

MODEL_FILE = Path(__file__).parent / "abstain.json"
_LATIN_WORD = re.compile(r"[A-Za-z][\w.+-]*[\w+]|[A-Za-z]")
_NUMBER = re.compile(r"(?<![\w.#])\d+(?:\.\d+)*(?![\w.])")
_EVERYWHERE = ("pytorch", "torch", "pr")
_FAR = 4.0
FEATURES = (
    "score", "margin", "gap", "best", "peak", "fact", "fact_gap_exact", "fact_gap_loose", "coverage", "unknown", "missing_names",
    "names", "elsewhere", "named",
)  # fmt: skip
Node = list[Any] | float  # [feature, threshold, at most, above], or what a leaf adds


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstainer:
    """P(the posts tell) = sigmoid(slope · (sum of the trees' leaves) + offset); below `threshold` it abstains."""

    trees: list[Node]
    slope: float
    offset: float
    threshold: float

    def raw(self, features: dict[str, float]) -> float:
        """The sum of the leaves that the features lead to."""
        return sum(_leaf(tree, features) for tree in self.trees)

    def confidence(self, features: dict[str, float]) -> float:
        z = self.slope * self.raw(features) + self.offset
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


def _leaf(node: Node, features: dict[str, float]) -> float:
    while isinstance(node, list):
        node = node[2] if features[node[0]] <= node[1] else node[3]
    return node


@cache
def load(path: Path = MODEL_FILE) -> Abstainer:
    """The fitted model."""
    return Abstainer(**json.loads(path.read_text(encoding="utf-8"))["model"])


def features(plan: Plan, hits: Sequence[Hit], ranked: Sequence[Sentence], snapshot: Snapshot) -> dict[str, float]:
    """What the decision rests on, each number comparable between questions and corpora.

    score: best centred cosine; margin, gap: how far the best stands out; best, peak: score of the best sentence,
    and above the mean; fact: how near the best is the passage whose sentence holds the kind of fact asked for;
    fact_gap: how much less topical the best sentence with such a fact is than the best without regard to it;
    coverage: how much of the question's rare words the best passages hold; unknown: how much no post holds;
    missing_names: share of its names and numbers that the best sections lack, names: that no post has;
    elsewhere: how much better another release than the named one fits; named: whether one is named.
    """
    near = named_hits(plan, hits)
    if not near or not ranked:
        return dict.fromkeys(FEATURES, 0.0)
    top = near[:5]
    best = max(hit.score for hit in top)
    tokens = {t for t in tokenize(plan.question) if t not in _EVERYWHERE and t not in plan.releases}
    weights = {t: snapshot.lexical.rarity(t) for t in tokens}
    total = sum(weights.values()) or 1.0
    held = [set(tokenize(hit.passage.encoded_text())) for hit in top if hit.passage.lang == plan.lang]
    gap = _fact_gap(plan, ranked)
    exact = asks_exactly(plan.kind)
    return {
        "score": best,
        "margin": top[0].score - (sum(hit.score for hit in hits[3:]) / len(hits[3:]) if len(hits) > 3 else 0.0),
        "gap": near[0].rank_score - near[1].rank_score if len(near) > 1 else near[0].rank_score,
        "best": ranked[0].score,
        "peak": ranked[0].score - sum(s.score for s in ranked) / len(ranked),
        "fact": max((s.hit.score / best for s in ranked[:3] if has_fact(plan.kind, s.text)), default=0.0) if best > 0 else 0.0,
        "fact_gap_exact": gap if exact else 0.0,
        "fact_gap_loose": 0.0 if exact else gap,
        "coverage": max((sum(weights[t] for t in tokens & own) / total for own in held), default=0.5),
        "unknown": sum(weights[t] for t in tokens if not snapshot.lexical.known(t)) / total,
        "missing_names": _missing_names(plan, held),
        "names": min(len(_unknown_names(plan, snapshot)), 2) / 2,
        "elsewhere": max(hit.score for hit in hits) - max(hit.score for hit in near),
        "named": float(bool(plan.releases)),
    }


def _fact_gap(plan: Plan, ranked: Sequence[Sentence]) -> float:
    if not has_pattern(plan.kind):
        return 0.0
    with_fact = max((s.topical for s in ranked if has_fact(plan.kind, s.text)), default=-math.inf)
    return min(_FAR, max(s.topical for s in ranked) - with_fact)


def _names(plan: Plan) -> list[str]:
    """Latin words within Chinese; in other languages those with capitals, digits, dots or underscores; and numbers."""
    words = _LATIN_WORD.findall(plan.question)
    if plan.lang != "zh":
        words = [w for at, w in enumerate(words) if re.search(r"[\d._]", w) or re.search(r"[A-Z]", w[1:] if not at else w)]
    releases = (*plan.releases, *plan.missing)
    numbers = [n for n in _NUMBER.findall(plan.question) if n not in releases]
    return [w for w in words if w.casefold() not in _EVERYWHERE and w.lstrip("vV") not in releases] + numbers


def _missing_names(plan: Plan, passages: Sequence[set[str]]) -> float:
    names = [tokens for tokens in (set(tokenize(name)) for name in _names(plan)) if tokens]
    if not names or not passages:
        return 0.0
    return min(sum(not tokens & own for tokens in names) for own in passages) / len(names)


def _unknown_names(plan: Plan, snapshot: Snapshot) -> list[str]:
    """Names and numbers with a dot in the question that no post holds."""
    names = [name for name in _names(plan) if len(name) > 2 and not name.isdigit()]
    return [n for n in names if not any(snapshot.lexical.known(t) for t in tokenize(n) if t == n.casefold() or t.isalpha())]
