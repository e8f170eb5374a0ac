"""Choose the sentences that answer: verbatim, at most three, the one with the asked fact first."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.plan import Plan
from index.lexical import LexicalIndex
from index.search import Hit, fold
from index.snapshot import Snapshot
from index.tokens import tokenize

_NAME = re.compile(r"(?<![`\w.])(?:[A-Z][a-zà-ÿ]+(?:-[A-Z][a-z]+)*|[A-Z]\.)(?: (?:[A-Z][a-zà-ÿ]+(?:-[A-Z][a-z]+)*|[A-Z]\b\.?))+|@\w+")
_NOT_NAMES = re.compile(
    r"\b(?:CUDA|Graph|Graphs|Green|Context|Live|Apple|Intel|Release|Python|Triton|Linux|Windows|Flight|Recorder|Chrome|Trace|Device|Mesh|"
    r"Metal|Tensor|Core|Events?|Custom|The|In|For|With|Torch|Inductor|Conference|Stable|Beta|Prototype|Silicon|Docker|Neoverse|"
    r"Graviton|Hugging|Face|Foundation|Parallel|Blackwell|Hopper|Wheel|Adam|Chrome|Python|Team|Meta|Unified|Memory|Arm|Xeon)\b"
)
_EXACT = ("person", "pr", "date", "ratio")  # kinds whose fact is hard to mistake
_RELEASE = r"(?<![\d.])\d\.\d{1,2}(?![\d%]|\.\d)"
_DATE = r"\b20\d\d-\d\d-\d\d\b|\d{1,2}\s*(?:am|pm|点)|\d+\s*月\s*\d+"
_FACTS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "pr": r"#\d{3,}",
        "date": _DATE,
        "since": rf"{_DATE}|{_RELEASE}",
        "time": r"\d\s*(?:seconds|minutes|hours|ms\b|s\b|毫秒|微秒|秒|分钟|小时)",
        "memory": r"\d\s*(?:[GM]i?B\b|bytes)",
        "number": r"(?<![\w.#])\d[\d,]*(?:\.\d+)?\s*(?:%|x\b|times|倍|GB|MB|ms|秒|seconds|次|位|个|commits|contributors|hours|项|行|lines)"
        r"|\d+(?:\.\d+)?\s*(?:to|至|-|–)\s*\d+|\bport \d+|端口 ?\d+|(?<![\d.])\d{2,}\.\d+|\d+\.\d+\.\d+|\d\.\d+ (?:or newer|or later|或)|(?:GCC|CUDA|CMake|ROCm|Python|C\+\+) ?\d"
        r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|half|twice|dozen)\b|(?<![第十])[两二三四五六七八九十]\s*(?:行|个|项|次|倍|位|种|类|条|成|半|级)",
        "ratio": r"\d\s*%|\d\s*倍|\d\s*times|\dx\b",
        "release": _RELEASE,
        "howto": r"`[^`]+`|```",
        "why": r"\b(?:because|since|so that|therefore|avoid|reduc|without|used to|previously|before)|因为|由于|从而|避免|减少|以便|此前|以前|之前|因此|原因",
    }.items()
}
_BULLET = re.compile(r"(?:^|\n)[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\Z")
# A sentence that only points elsewhere answers those who ask for a pointer.
_LINK = re.compile(
    r"\b(?:where|link|url|docs?|documentation|tutorial|paper|example|register|address)\b|哪里|链接|网址|地址|文档|教程|论文|示例|报名",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractSettings:
    """Weights of a sentence's score, tuned on the `dev` questions; `margin` is how far behind the best a further one may be."""

    sentence_weight: float = 0.6
    lexical_weight: float = 0.35
    passage_weight: float = 0.2
    fact_weight: float = 0.25
    identifier_weight: float = 0.2
    language_weight: float = 0.15
    link_penalty: float = 0.15
    margin: float = 0.3
    sentences: int = 3
    min_chars: int = 12
    budget_chars: int = 420  # a Han character counts 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A candidate: offsets count characters of the passage's text."""

    hit: Hit
    start: int
    end: int
    score: float

    @property
    def text(self) -> str:
        return self.hit.passage.text[self.start : self.end]


def has_fact(kind: str, text: str) -> bool:
    """Whether a sentence holds the kind of fact that is asked for; a kind without a pattern is held by any."""
    if kind == "person":
        return any(not _NOT_NAMES.search(name) for name in _NAME.findall(text))
    pattern = _FACTS.get(kind)
    return pattern is None or bool(pattern.search(text))


def choose(plan: Plan, hits: Sequence[Hit], snapshot: Snapshot, settings: ExtractSettings | None = None) -> list[Sentence]:
    """Return the sentences that answer, best first, none of them said twice."""
    settings = settings or ExtractSettings()
    candidates = _candidates(plan, hits, snapshot, settings)
    if not candidates:
        return []
    chosen: list[Sentence] = []
    length = 0
    for sentence in candidates:
        weight = len(sentence.text) * (2 if sentence.hit.passage.lang == "zh" else 1)
        behind = candidates[0].score - sentence.score
        if len(chosen) == settings.sentences or behind > settings.margin:
            break
        if (chosen and length + weight > settings.budget_chars) or any(_same(sentence.text, other.text) for other in chosen):
            continue
        chosen.append(sentence)
        length += weight
    return chosen


def items(hits: Sequence[Hit], snapshot: Snapshot) -> list[Sentence]:
    """Return the list items in `hits`, in their order; where there is no list, the sentences that introduce nothing."""
    listed, plain = [], []
    for hit in hits:
        for row in snapshot.sentence_rows(hit.row):
            start, end = snapshot.sentence_span(row)
            sentence = Sentence(hit=hit, start=start, end=end, score=hit.score)
            if _BULLET.search(hit.passage.text[:start]):
                listed.append(sentence)
            elif not sentence.text.endswith((":", "：")):
                plain.append(sentence)
    return listed or plain


def _candidates(plan: Plan, hits: Sequence[Hit], snapshot: Snapshot, settings: ExtractSettings) -> list[Sentence]:
    tokens = sorted(set(tokenize(plan.question)))
    weights = {token: snapshot.lexical.rarity(token) for token in tokens}
    total = sum(weights.values()) or 1.0
    wanted = (*plan.identifiers, *plan.prs)
    asks_for_link = bool(_LINK.search(plan.question))
    found = []
    for hit in hits:
        for number, row in enumerate(snapshot.sentence_rows(hit.row)):
            start, end = snapshot.sentence_span(row)
            text = hit.passage.text[start:end]
            if end - start < settings.min_chars // (2 if hit.passage.lang == "zh" else 1) or text.endswith((":", "：")):
                continue
            own = set(tokenize(text))
            score = (
                settings.sentence_weight * hit.sentence_scores[number]
                + settings.lexical_weight * sum(weights[t] for t in tokens if t in own) / total
                + settings.passage_weight * hit.rank_score
                + settings.language_weight * (hit.passage.lang == plan.lang)
                + settings.fact_weight * (1.5 if plan.kind in _EXACT else 1.0) * (plan.kind != "what" and has_fact(plan.kind, text))
            )
            if "http" in text and not asks_for_link:
                score -= settings.link_penalty
            if wanted:
                folded = fold(text)
                score += settings.identifier_weight * sum(i in folded for i in wanted) / len(wanted)
            found.append(Sentence(hit=hit, start=start, end=end, score=round(score, 6)))
    return sorted(found, key=lambda s: (-s.score, s.hit.passage.id, s.start))


def _same(one: str, other: str) -> bool:
    """Whether two sentences say the same in nearly the same words."""
    a, b = set(tokenize(one)), set(tokenize(other))
    return bool(a and b) and len(a & b) / min(len(a), len(b)) > 0.85


def question_tokens(plan: Plan, lexical: LexicalIndex) -> list[str]:
    """The question's tokens that the posts know, rarest first: what the terminal marks."""
    return sorted({t for t in tokenize(plan.question) if lexical.known(t)}, key=lambda t: (-lexical.rarity(t), t))
