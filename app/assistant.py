"""The one place that knows the order: clean, plan, retrieve, decide, extract, cite."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from app import abstain
from app.answer import Answer, Citation, Retrieved, place
from app.compare import compare
from app.extract import ExtractSettings, Sentence, choose, fact_in, items, rank
from app.followup import Turn, standalone
from app.messages import say
from app.plan import Plan, clean_question, make_plan, nearest_release
from app.retrieve import named_hits, retrieve
from app.settings import AskSettings
from index.search import Float32, Hit, Query, Searcher
from index.settings import SearchSettings
from index.snapshot import Snapshot, resolve
from ingest.progress import Tell
from ingest.releases import sort_key
from ingest.schema import Passage

_EVIDENCE = 12
_FORMS = 4  # readings of a follow-up that are tried


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A question as it was understood, and what was found for it."""

    plan: Plan
    hits: list[Hit]
    ranked: list[Sentence]
    confidence: float
    timings: dict[str, float]


class Assistant:
    """Answers questions from one snapshot. Safe to share between threads.

    >>> assistant = Assistant.open(Path("var/index"))
    >>> assistant.ask("How much faster is eigh in 2.12?").answer
    """

    def __init__(self, searcher: Searcher, *, extract: ExtractSettings | None = None, load_ms: float = 0.0) -> None:
        self.searcher = searcher
        self.releases: tuple[str, ...] = tuple(sorted(searcher.snapshot.manifest.releases, key=sort_key))
        self._extract = extract or ExtractSettings()
        self._abstainer = abstain.load()
        self._load_ms = load_ms
        self._sections: dict[str, set[str]] = {}
        for passage in searcher.snapshot.passages:
            self._sections.setdefault(passage.evidence_id, set()).add(passage.section_id)

    @classmethod
    def open(cls, index: Path, settings: SearchSettings | None = None) -> Self:
        """Open the newest snapshot under `index`; UserError names what is wrong with it and the remedy."""
        from index.encoder import question_encoder

        began = time.perf_counter()
        snapshot = Snapshot(resolve(index))
        encoder = question_encoder(snapshot.manifest.model_id, snapshot.manifest.revision)
        return cls(Searcher(snapshot, encoder, settings), load_ms=_since(began))

    def ask(self, question: str, settings: AskSettings | None = None, history: Sequence[Turn] = ()) -> Answer:
        """Answer one question, which may lean on `history` (oldest first).

        UserError for a question that cannot be read; whatever the posts do not tell is an Answer.
        """
        settings = settings or AskSettings()
        asked = clean_question(question)
        forms = standalone(asked, history, self.releases)[:_FORMS]
        reading = max((self._read(form, settings) for form in forms), key=lambda r: r.confidence)
        plan, began = reading.plan, time.perf_counter()
        computed, compared = compare(plan, reading.ranked)
        sentences = compared or self.sentences(plan, reading.hits, reading.ranked)
        refusal = self._refusal(plan, sentences, reading.confidence)
        citations = [] if refusal else self._cite(plan, sentences)
        timings = {"load": self._load_ms, **reading.timings, "answer": reading.timings["answer"] + _since(began)}
        return Answer(
            question=question,
            standalone=plan.question if plan.question != asked else "",
            lang=plan.lang,
            answered=not refusal,
            confidence=round(reading.confidence, 4),
            answer=refusal or " ".join(f"{' '.join(c.quote.split()) if '```' not in c.quote else c.quote} [{c.n}]" for c in citations),
            computed="" if refusal else computed,
            citations=tuple(citations),
            retrieved=tuple(Retrieved(score=hit.score, **place(hit.passage)) for hit in reading.hits[: settings.top_k]),
            timings_ms={name: round(value, 1) for name, value in timings.items()},
        )

    def _read(self, question: str, settings: AskSettings) -> "_Reading":
        """Plan, search, rank, and how likely the posts tell."""
        plan = make_plan(question, self.releases)
        began = time.perf_counter()
        vector = self.searcher.encode(self.query(plan, settings))
        encoded = time.perf_counter()
        hits = self.evidence(plan, settings, vector)
        searched = time.perf_counter()
        ranked = self.ranked(plan, hits)
        confidence = self._abstainer.confidence(abstain.features(plan, hits, ranked, self.searcher.snapshot))
        timings = {"encode": 1000 * (encoded - began), "search": 1000 * (searched - encoded), "answer": _since(searched)}
        return _Reading(plan=plan, hits=hits, ranked=ranked, confidence=confidence, timings=timings)

    def query(self, plan: Plan, settings: AskSettings) -> Query:
        """What is searched for a plan."""
        return Query(
            text=plan.question,
            lang=plan.lang,
            releases=settings.releases,
            langs=settings.langs,
            prefer_releases=plan.releases,
            identifiers=(*plan.identifiers, *plan.prs),
        )

    def evidence(self, plan: Plan, settings: AskSettings, vector: Float32 | None = None) -> list[Hit]:
        """Retrieve for a plan: at least twelve passages, and for several releases some of each."""
        query = self.query(plan, settings)
        vector = self.searcher.encode(query) if vector is None else vector
        wanted = max(settings.top_k, _EVIDENCE)
        if plan.kind == "summary" and not settings.releases:
            return self._overview(plan, query, vector) or retrieve(self.searcher, query, wanted, vector)
        hits = retrieve(self.searcher, query, wanted, vector)
        if len(plan.releases) < 2 or settings.releases:
            return hits
        share = max(2, wanted // len(plan.releases))
        each = [retrieve(self.searcher, replace(query, releases=(release,)), share, vector) for release in plan.releases]
        picked = {hit.passage.id: hit for group in each for hit in group}
        return sorted(picked.values(), key=lambda hit: (-hit.rank_score, hit.passage.id))

    def _overview(self, plan: Plan, query: Query, vector: Float32) -> list[Hit]:
        """The first section of each named release's post, in text order, in the question's language where it is there."""
        passages = [p for p in self.searcher.snapshot.passages if p.release in plan.releases]
        first = {p.doc_id: p.section_id for p in sorted(passages, key=lambda p: -p.start)}
        found = retrieve(self.searcher, replace(query, releases=plan.releases), len(passages), vector)
        hits = [hit for hit in found if hit.passage.section_id == first[hit.passage.doc_id]]
        return sorted(hits, key=lambda hit: (sort_key(hit.passage.release), hit.passage.start, hit.passage.id))

    def _refusal(self, plan: Plan, sentences: Sequence[Sentence], confidence: float) -> str:
        """Why the posts do not tell, in the question's language; "" where they do."""
        if plan.missing and not plan.releases and self.releases:
            nearest = nearest_release(plan.missing[0], self.releases)
            return say("no_release", plan.lang, asked=plan.missing[0], nearest=nearest)
        if not sentences:
            return say("filtered", plan.lang)
        if plan.kind == "summary":  # the release has a post, and what it brings is what the post tells
            return ""
        return say("abstain", plan.lang) if confidence < self._abstainer.threshold else ""

    def ranked(self, plan: Plan, hits: Sequence[Hit]) -> list[Sentence]:
        """Every sentence that could answer, best first; of the named releases where there are any."""
        return rank(plan, named_hits(plan, hits), self.searcher.snapshot)

    def sentences(self, plan: Plan, hits: Sequence[Hit], ranked: Sequence[Sentence]) -> list[Sentence]:
        """The sentences that answer; what a release brings is told by the items of its overview."""
        if plan.kind != "summary":
            return choose(plan, ranked, self._extract)
        each = min(3, max(1, 6 // max(1, len(plan.releases))))
        groups = ([h for h in hits if h.passage.release == release] for release in plan.releases)
        return [sentence for group in groups for sentence in items(group, self.searcher.snapshot)[:each]]

    def _cite(self, plan: Plan, sentences: Sequence[Sentence]) -> list[Citation]:
        """Number the quotations from 1 in the order of the answer; the fact is named once for each release."""
        told: set[str] = set()
        citations = []
        for n, sentence in enumerate(sentences, 1):
            release = sentence.hit.passage.release
            fact = fact_in(plan, sentence.text) if release not in told else ""
            told |= {release} if fact else set()
            citations.append(
                Citation(
                    n=n,
                    quote=sentence.text,
                    fact=fact,
                    twin=self._twin(sentence.hit.passage),
                    start=sentence.hit.passage.start + sentence.start,
                    end=sentence.hit.passage.start + sentence.end,
                    score=sentence.hit.score,
                    **place(sentence.hit.passage),
                )
            )
        return citations

    def _twin(self, passage: Passage) -> str:
        """The same section in another language, the first by name."""
        return min(self._sections.get(passage.evidence_id, set()) - {passage.section_id}, default="")


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000


def open_or_build(index: Path, *, is_default: bool, tell: Tell) -> Assistant:
    """Open `index`; the default one is built first when it is not there, one that was named is an error."""
    from index import snapshot

    if is_default and not snapshot.exists(index):
        from index.cli import build_index
        from index.settings import BuildSettings

        tell("no index yet: building it once")
        build_index([], index, BuildSettings(), tell)
    return Assistant.open(index)
