"""Run a question set through the assistant that users have, and count."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median
from typing import Any

from app import abstain
from app.answer import Answer
from app.assistant import Assistant
from app.plan import clean_question, make_plan
from app.retrieve import retrieve
from app.settings import AskSettings
from eval.metrics import retrieval
from eval.questions import Question, holds

OTHER = {"zh": "en", "en": "zh"}
_DEPTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's answer: `ok` says that every key stands in it, `verbatim` that every quote is one."""

    question: Question
    answer: Answer
    ok: bool
    verbatim: bool
    first: bool


def rankings(assistant: Assistant, questions: Sequence[Question], pool: str) -> dict[str, list[str]]:
    """Sections found for each question, best first; `pool` is "same", "other" or "mixed" (passage language)."""
    out = {}
    for q in questions:
        plan = make_plan(clean_question(q.question), assistant.releases)
        langs = {"same": (q.lang,), "other": (OTHER[q.lang],), "mixed": ()}[pool]
        query = assistant.query(plan, AskSettings(langs=langs))
        hits = retrieve(assistant.searcher, query, _DEPTH, assistant.searcher.encode(query))
        out[q.id] = [hit.passage.evidence_id for hit in hits]
    return out


def answers(assistant: Assistant, questions: Iterable[Question], texts: Callable[[str], str]) -> list[Outcome]:
    """Ask every question; `texts` gives a document's text, against which quotes are held."""
    outcomes = []
    for q in questions:
        answer = assistant.ask(q.question, AskSettings())
        verbatim = all(texts(c.passage_id.split("#")[0])[c.start : c.end] == c.quote and c.quote for c in answer.citations)
        first = answer.answered and holds(answer.citations[0].quote, q.answer_keys)
        outcomes.append(
            Outcome(question=q, answer=answer, ok=answer.answered and holds(answer.answer, q.answer_keys), verbatim=verbatim, first=first)
        )
    return outcomes


def summary(assistant: Assistant, questions: Sequence[Question], texts: Callable[[str], str]) -> dict[str, Any]:
    """Every figure of the run as one JSON-ready object."""
    answerable = [q for q in questions if q.answerable]
    found: dict[str, Any] = {"retrieval": {}}
    for pool in ("same", "other", "mixed"):
        ranked = rankings(assistant, answerable, pool)
        for lang in ("zh", "en", "all"):
            group = [q for q in answerable if lang in (q.lang, "all")]
            found["retrieval"][f"{lang} {pool}"] = retrieval(ranked, {q.id: q.evidence for q in group}) | {"questions": len(group)}
    outcomes = answers(assistant, questions, texts)
    found["answers"] = {
        lang: _count([o for o in outcomes if lang in (o.question.lang, "all")]) for lang in ("zh", "en", "all")
    }  # fmt: skip
    types = sorted({q.type for q in answerable})
    found["types"] = {t: _count([o for o in outcomes if o.question.type == t]) for t in types}
    found["failed"] = [o.question.id for o in outcomes if (not o.ok if o.question.answerable else o.answer.answered)]
    return found


def _count(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    can = [o for o in outcomes if o.question.answerable]
    cannot = [o for o in outcomes if not o.question.answerable]
    given = [o for o in can if o.answer.answered]
    return {
        "answerable": len(can),
        "keys in the answer": _share(o.ok for o in can),
        "keys in the first sentence": _share(o.first for o in can),
        "wrongly refused": _share(not o.answer.answered for o in can),
        "answered without the keys": _share(not o.ok for o in given),
        "unanswerable": len(cannot),
        "rightly refused": _share(not o.answer.answered for o in cannot),
        "quotes verbatim": _share(o.verbatim for o in outcomes if o.answer.citations),
        "median characters": median([sum(len(c.quote) for c in o.answer.citations) for o in given] or [0]),
        "same language": _share(all(c.lang == o.question.lang for c in o.answer.citations) for o in given),
    }


def _share(values: Iterable[bool]) -> float | None:
    """The share that is true; None of nothing (a share of no cases is no figure)."""
    cases = [float(v) for v in values]
    return mean(cases) if cases else None


def feature_rows(assistant: Assistant, questions: Sequence[Question]) -> list[dict[str, float]]:
    """The abstention features of each question, for calibration."""
    rows = []
    for q in questions:
        plan = make_plan(clean_question(q.question), assistant.releases)
        hits = assistant.evidence(plan, AskSettings())
        rows.append(abstain.features(plan, hits, assistant.sentences(plan, hits), assistant.searcher.snapshot))
    return rows


def without_missing(assistant: Assistant, questions: Sequence[Question]) -> list[Question]:
    """Questions that the plan does not refuse by itself (a release that no post has): what calibration sees."""
    plans = ((q, make_plan(clean_question(q.question), assistant.releases)) for q in questions)
    return [replace(q) for q, plan in plans if plan.releases or not plan.missing]
