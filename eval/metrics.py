"""Retrieval measures by ir-measures over sections; a question without hits scores 0.

A question may need several pieces of evidence, and a piece may stand in several sections. Each piece is
one relevant document here: hits in any of its sections count as it, once, at their first rank.
"""

from collections.abc import Mapping, Sequence

import ir_measures
import numpy as np
from ir_measures import RR, R, nDCG

from eval.settings import CUTOFFS

MEASURES = {**{f"recall@{k}": R @ k for k in CUTOFFS}, "mrr@10": RR @ 10, "ndcg@10": nDCG @ 10}


def collapse(ranking: Sequence[str], evidence: Sequence[Sequence[str]]) -> list[str]:
    """Return the ranking of distinct documents: "e0", "e1" … for pieces of evidence, sections for the rest."""
    piece = {section: f"e{number}" for number, sections in enumerate(evidence) for section in sections}
    return list(dict.fromkeys(piece.get(section, section) for section in ranking))


def retrieval(rankings: Mapping[str, Sequence[str]], evidence: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, float]:
    """Mean of each measure over the questions of `evidence`; `rankings` gives sections, best first."""
    if not evidence:
        return {}
    run, qrels = [], []
    for question, pieces in evidence.items():
        qrels += [ir_measures.Qrel(question, f"e{number}", 1) for number in range(len(pieces))]
        ranked = collapse(rankings.get(question, ()), pieces)
        run += [ir_measures.ScoredDoc(question, document, -float(rank)) for rank, document in enumerate(ranked)]
    found = ir_measures.calc_aggregate(list(MEASURES.values()), qrels, run)
    complete = sum(
        {f"e{n}" for n in range(len(pieces))} <= set(collapse(rankings.get(question, ()), pieces)[:10])
        for question, pieces in evidence.items()
    )
    return {name: float(found.get(measure, 0.0)) for name, measure in MEASURES.items()} | {"complete@10": complete / len(evidence)}


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive's score is above a negative's, ties half; None without both."""
    if not positive or not negative:
        return None
    p, n = np.asarray(positive)[:, None], np.asarray(negative)[None]
    return float((p > n).mean() + 0.5 * (p == n).mean())


def reliability(scores: Sequence[float], labels: Sequence[bool], bins: int = 5) -> list[dict[str, float]]:
    """What share of each range of probabilities came true, beside their mean."""
    out = []
    for k in range(bins):
        inside = [(s, y) for s, y in zip(scores, labels, strict=True) if k / bins <= s < (k + 1) / bins or (k == bins - 1 and s == 1)]
        if inside:
            said, true = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            out.append({"from": k / bins, "to": (k + 1) / bins, "questions": len(inside), "said": float(said), "true": float(true)})
    return out


def interval(values: Sequence[float], groups: Sequence[str], samples: int = 1000) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean; the zh and en forms of a question are drawn together."""
    sums: dict[str, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        sums.setdefault(group, []).append(float(value))
    totals, counts = (np.array([f(v) for v in sums.values()], dtype=float) for f in (sum, len))
    drawn = np.random.default_rng(0).integers(0, len(totals), (samples, len(totals)))
    means = totals[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
