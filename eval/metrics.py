"""Retrieval measures by ir-measures over sections; a question without hits scores 0.

A question may need several pieces of evidence, and a piece may stand in several sections. Each piece is
one relevant document here: hits in any of its sections count as it, once, at their first rank.
"""

from collections.abc import Mapping, Sequence

import ir_measures
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
    return {name: float(found.get(measure, 0.0)) for name, measure in MEASURES.items()}
