"""Run a question set through the assistant that users have, and count."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from app import abstain
from app.answer import Answer
from app.assistant import Assistant
from app.extract import candidates
from app.followup import Turn
from app.plan import clean_question, make_plan
from app.retrieve import named_hits, retrieve
from app.settings import AskSettings
from eval.metrics import auroc, interval, reliability, retrieval
from eval.questions import Dialogue, Question, holds
from ingest.releases import sort_key

OTHER = {"zh": "en", "en": "zh"}
POOLS = ("same", "other", "mixed")
_DEPTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question's answer.

    `ok`: every key stands in it; `verbatim`: every quote is one; `first`: so is the first with the keys; `named`: the
    releases that the question names; `settled`: the plan alone decided whether to answer.
    """

    question: Question
    answer: Answer
    ok: bool
    verbatim: bool
    first: bool
    named: tuple[str, ...]
    settled: bool


def rankings(assistant: Assistant, questions: Sequence[Question]) -> dict[str, dict[str, list[str]]]:
    """Sections found for each question, best first, by pool of passages: "same" language, "other", "mixed"."""
    out: dict[str, dict[str, list[str]]] = {pool: {} for pool in POOLS}
    for q in questions:
        plan = make_plan(clean_question(q.question), assistant.releases)
        vector = assistant.searcher.encode(assistant.query(plan, AskSettings()))
        for pool, langs in (("same", (q.lang,)), ("other", (OTHER[q.lang],)), ("mixed", ())):
            query = assistant.query(plan, AskSettings(langs=langs))
            out[pool][q.id] = [hit.passage.evidence_id for hit in retrieve(assistant.searcher, query, _DEPTH, vector)]
    return out


def answers(assistant: Assistant, questions: Iterable[Question], texts: Callable[[str], str]) -> list[Outcome]:
    """Ask every question; `texts` gives a document's text, against which quotes are held."""
    outcomes = []
    for q in questions:
        answer = assistant.ask(q.question, AskSettings())
        verbatim = all(texts(c.passage_id.split("#")[0])[c.start : c.end] == c.quote and c.quote for c in answer.citations)
        first = answer.answered and holds(answer.citations[0].quote, q.answer_keys)
        plan = make_plan(clean_question(q.question), assistant.releases)
        outcomes.append(
            Outcome(
                question=q,
                answer=answer,
                ok=answer.answered and holds(answer.answer, q.answer_keys),
                verbatim=verbatim,
                first=first,
                named=plan.releases,
                settled=plan.kind == "summary" or bool(plan.missing and not plan.releases),
            )
        )
    return outcomes


def summary(assistant: Assistant, questions: Sequence[Question], texts: Callable[[str], str]) -> dict[str, Any]:
    """Every figure of the run as one JSON-ready object."""
    answerable = [q for q in questions if q.answerable]
    found: dict[str, Any] = {"retrieval": {}}
    for pool, ranked in rankings(assistant, answerable).items():
        for lang in ("zh", "en", "all"):
            group = [q for q in answerable if lang in (q.lang, "all")]
            found["retrieval"][f"{lang} {pool}"] = retrieval(ranked, {q.id: q.evidence for q in group}) | {"questions": len(group)}
    outcomes = answers(assistant, questions, texts)
    found["answers"] = {
        lang: _count([o for o in outcomes if lang in (o.question.lang, "all")]) for lang in ("zh", "en", "all")
    }  # fmt: skip
    types = sorted({q.type for q in answerable})
    found["types"] = {t: _count([o for o in outcomes if o.question.type == t]) for t in types}
    releases = sorted({r for q in answerable for r in q.releases}, key=sort_key)
    found["releases"] = {r: _count([o for o in outcomes if r in o.question.releases]) for r in releases}
    can, cannot = ([o for o in outcomes if o.question.answerable is wanted] for wanted in (True, False))
    judged = [o for o in outcomes if not o.settled]
    scores, labels = [o.answer.confidence for o in judged], [o.question.answerable for o in judged]
    found["confidence"] = {
        "auroc": auroc([s for s, y in zip(scores, labels, strict=True) if y], [s for s, y in zip(scores, labels, strict=True) if not y]),
        "reliability": reliability(scores, labels),
    }
    found["intervals"] = {
        name: interval([wanted(o) for o in group], [o.question.group for o in group]) if group else None
        for name, group, wanted in (
            ("keys in the answer", can, lambda o: o.ok),
            ("wrongly refused", can, lambda o: not o.answer.answered),
            ("rightly refused", cannot, lambda o: not o.answer.answered),
        )
    }
    found["refusals"] = {
        name: {"questions": len(group), "refused": _share(not o.answer.answered for o in group)}
        for name, group in (
            ("near misses", [o for o in cannot if "near miss" in o.question.tags]),
            ("others", [o for o in cannot if "near miss" not in o.question.tags]),
        )
    }
    found["failed"] = [o.question.id for o in outcomes if (not o.ok if o.question.answerable else o.answer.answered)]
    return found


def dialogues(assistant: Assistant, asked: Sequence[Dialogue]) -> dict[str, Any]:
    """Turn by turn, each with the turns before it: first turns, follow-ups, and the turns that must be left alone."""
    first: list[bool] = []
    later: list[bool] = []
    alone: list[bool] = []
    refused: list[bool] = []
    failed: list[str] = []
    for dialogue in asked:
        history: list[Turn] = []
        for turn, meant in zip(dialogue.turns, dialogue.standalone, strict=True):
            answer = assistant.ask(turn.question, history=history)
            ok = answer.answered and holds(answer.answer, turn.answer_keys) if turn.answerable else not answer.answered
            group = first if not history else later
            (group if turn.answerable else refused).append(ok)
            if history and meant == turn.question:
                alone.append(not answer.standalone)
            if not ok:
                failed.append(f"{turn.id}: {turn.question} → {answer.standalone or '='}")
            history.append(Turn.of(answer))
    shares = {"first turns": first, "follow-ups": later, "refused where no post tells": refused, "left alone": alone}
    return {name: {"turns": len(values), "share": _share(values)} for name, values in shares.items()} | {"failed": failed}


def _count(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    can, cannot = ([o for o in outcomes if o.question.answerable is wanted] for wanted in (True, False))
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
        "wrong release": _share(any(c.release not in o.named for c in o.answer.citations) for o in given if o.named),
        "median characters": median([sum(len(c.quote) for c in o.answer.citations) for o in given] or [0]),
        "same language": _share(all(c.lang == o.question.lang for c in o.answer.citations) for o in given),
    }


def _share(values: Iterable[bool]) -> float | None:
    """The share that is true; None of nothing (a share of no cases is no figure)."""
    cases = [float(v) for v in values]
    return mean(cases) if cases else None


def sentence_rows(assistant: Assistant, questions: Sequence[Question]) -> list[tuple[list[dict[str, float]], list[float]]]:
    """For each answerable question: the features of its candidate sentences, and the share of the keys that each holds."""
    rows = []
    for q in questions:
        plan = make_plan(clean_question(q.question), assistant.releases)
        hits = named_hits(plan, assistant.evidence(plan, AskSettings()))
        evidence = {section for piece in q.evidence for section in piece}
        found = candidates(plan, hits, assistant.searcher.snapshot)
        shares = [
            mean(holds(hit.passage.text[start:end], [key]) for key in q.answer_keys) if hit.passage.evidence_id in evidence else 0.0
            for hit, start, end, _ in found
        ]
        rows.append(([values for *_, values in found], shares))
    return rows


def feature_rows(assistant: Assistant, questions: Sequence[Question]) -> list[dict[str, float]]:
    """The abstention features of each question, for calibration."""
    rows = []
    for q in questions:
        plan = make_plan(clean_question(q.question), assistant.releases)
        hits = assistant.evidence(plan, AskSettings())
        rows.append(abstain.features(plan, hits, assistant.ranked(plan, hits), assistant.searcher.snapshot))
    return rows


def judged_by_features(assistant: Assistant, questions: Sequence[Question]) -> list[Question]:
    """Questions whose refusal the plan does not settle by itself (a release that no post has, what a release brings)."""
    plans = ((q, make_plan(clean_question(q.question), assistant.releases)) for q in questions)
    return [q for q, plan in plans if (plan.releases or not plan.missing) and plan.kind != "summary"]
