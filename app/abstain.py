"""Decide whether the posts tell: a logistic model over a few features, fitted on `dev`, kept as data.

`python -m eval calibrate` writes `abstain.json`. Fused rank scores have no absolute meaning, so none is used.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.extract import Sentence, has_fact
from app.plan import Plan
from index.search import Hit, fold
from index.snapshot import Snapshot
from index.tokens import tokenize

MODEL_FILE = Path(__file__).parent / "abstain.json"
_LATIN_WORD = re.compile(r"[A-Za-z][\w.+-]*[\w+]|[A-Za-z]")
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:\.\d+)*(?![\w.])")
_EVERYWHERE = ("pytorch", "torch")
FEATURES = ("score", "sentence", "lexical", "coverage", "unknown", "identifier", "margin", "fact", "names", "elsewhere", "terms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Abstainer:
    """P(the posts tell) = sigmoid(bias + weights · (features - centre) / scale); below `threshold` it abstains."""

    weights: dict[str, float]
    centre: dict[str, float]
    scale: dict[str, float]
    bias: float
    threshold: float

    def confidence(self, features: dict[str, float]) -> float:
        z = self.bias + sum(self.weights[n] * (features[n] - self.centre[n]) / self.scale[n] for n in FEATURES)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))


@cache
def load(path: Path = MODEL_FILE) -> Abstainer:
    """The fitted model."""
    return Abstainer(**json.loads(path.read_text(encoding="utf-8"))["model"])


def features(plan: Plan, hits: Sequence[Hit], sentences: Sequence[Sentence], snapshot: Snapshot) -> dict[str, float]:
    """What the decision rests on, each number comparable between questions and corpora.

    score, sentence: best centred cosines; lexical, coverage: how much of the question's rare words the best
    passages hold; unknown: how much no post holds; identifier: whether each named one is there; margin: how far
    the best stands out; fact: how near the best is the passage whose chosen sentence holds the kind of fact asked for; names: names in the
    question that no post has; elsewhere: how much better another release than the named one fits; terms: how
    rare a Latin word of the question they hold.
    """
    named = [hit for hit in hits if hit.passage.release in plan.releases] if plan.kind != "release" else []
    ranked = named or list(hits)
    if not ranked:
        return dict.fromkeys(FEATURES, 0.0)
    top = ranked[:5]
    best = max(hit.score for hit in top)
    tokens = {t for t in tokenize(plan.question) if t not in _EVERYWHERE and t not in plan.releases}
    weights = {t: snapshot.lexical.rarity(t) for t in tokens}
    total = sum(weights.values()) or 1.0
    own = [hit for hit in top if hit.passage.lang == plan.lang]
    seen = [set(tokenize(hit.passage.encoded_text())) for hit in own]
    wanted = (*plan.identifiers, *plan.prs)
    texts = [fold(hit.passage.encoded_text()) for hit in top]
    return {
        "score": best,
        "sentence": max((max(hit.sentence_scores, default=0.0) for hit in top), default=0.0),
        "lexical": max((hit.lexical for hit in top), default=0.0),
        "coverage": max((sum(weights[t] for t in tokens & s) / total for s in seen), default=0.5),
        "unknown": sum(weights[t] for t in tokens if not snapshot.lexical.known(t)) / total,
        "identifier": min((max(float(i in text) for text in texts) for i in wanted), default=1.0),
        "margin": top[0].score - (sum(hit.score for hit in hits[3:]) / len(hits[3:]) if len(hits) > 3 else 0.0),
        "fact": max((s.hit.score / best for s in sentences if has_fact(plan.kind, s.text)), default=0.0) if best > 0 else 0.0,
        "names": min(len(_unknown_names(plan, snapshot)), 2) / 2,
        "terms": _terms(plan, seen, snapshot),
        "elsewhere": max(hit.score for hit in hits) - max(hit.score for hit in ranked),
    }


def _terms(plan: Plan, passages: Sequence[set[str]], snapshot: Snapshot) -> float:
    """Rarity of the rarest of the question's Latin words that a passage holds, as a share of the highest there is."""
    words = {t for w in _LATIN_WORD.findall(plan.question) for t in tokenize(w)[:1] if t not in _EVERYWHERE}
    rarest = max((snapshot.lexical.rarity(t) for own in passages for t in words & own), default=0.0)
    return rarest / snapshot.lexical.rarity("")


def _unknown_names(plan: Plan, snapshot: Snapshot) -> list[str]:
    """Versions and names in the question that no post holds: Latin words in Chinese, capitals or digits within English."""
    words = _LATIN_WORD.findall(plan.question)
    if plan.lang != "zh":
        words = [w for at, w in enumerate(words) if re.search(r"\d", w) or re.search(r"[A-Z]", w[1:] if not at else w)]
    known = set(plan.releases) | set(plan.missing)
    numbers = [n for n in _NUMBER.findall(plan.question) if n not in known and not snapshot.lexical.known(n)]
    return numbers + [
        w for w in words if len(w) > 2 and not any(snapshot.lexical.known(t) for t in tokenize(w) if t == w.casefold() or t.isalpha())
    ]
