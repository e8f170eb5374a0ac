"""Retrieve evidence in both languages: a section and its twin in the other language are one piece of evidence."""

from collections.abc import Sequence
from dataclasses import replace

from app.plan import Plan
from index.search import Float32, Hit, Query, Searcher

_WIDTH = 30


def retrieve(searcher: Searcher, query: Query, top_k: int, vector: Float32) -> list[Hit]:
    """Return the best `top_k` hits for `vector` (`searcher.encode(query)`), a section's form in the question's language standing for its twin.

    A passage in another language stays only where the question's language has no such section (or the
    query filters that language out). The best passage of a section inherits the score of its twin.
    """
    hits = searcher.search(query, top_k * 2 + _WIDTH, vector)
    if query.langs and query.lang not in query.langs:
        return hits[:top_k]
    own_sections = {p.evidence_id for p in searcher.snapshot.passages if p.lang == query.lang}
    best_twin: dict[str, float] = {}
    best_own: dict[str, Hit] = {}
    kept: list[Hit] = []
    for hit in hits:
        section = hit.passage.evidence_id
        if hit.passage.lang != query.lang and section in own_sections:
            best_twin[section] = max(best_twin.get(section, hit.rank_score), hit.rank_score)
            continue
        kept.append(hit)
        if hit.passage.lang == query.lang:
            best_own.setdefault(section, hit)
    lifted = [
        replace(hit, rank_score=max(hit.rank_score, best_twin.get(hit.passage.evidence_id, 0.0)))
        if best_own.get(hit.passage.evidence_id) is hit else hit
        for hit in kept
    ]  # fmt: skip
    return sorted(lifted, key=lambda hit: (-hit.rank_score, hit.passage.id))[:top_k]


def named_hits(plan: Plan, hits: Sequence[Hit]) -> list[Hit]:
    """The hits of the releases that a question names; all of them where it names none, or asks for one."""
    named = [hit for hit in hits if hit.passage.release in plan.releases] if plan.kind != "release" else []
    return named or list(hits)
