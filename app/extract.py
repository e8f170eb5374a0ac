"""Choose the sentences that answer: verbatim, at most three, the one that holds the asked fact first.

Every sentence of the best passages is scored by a linear model over a few features; `python -m eval
calibrate` fits it on `dev` and writes `extract.json`.
"""

import json
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from app.plan import Plan
from index.lexical import LexicalIndex
from index.search import Hit, fold
from index.snapshot import Snapshot
from index.tokens import tokenize
from ingest.language import HAN

MODEL_FILE = Path(__file__).parent / "extract.json"

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
_OWN_NUMBERS = re.compile(r"(?:PyTorch|torch) ?\d\.\d+(?:\.\d+)?|#\d+")
_ANY_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)*")
_CODE = re.compile(r"`([^`]+)`")
_ENUMERATION = re.compile(r"[,、，]| and |和")
_WIDE = re.compile(f"[{HAN}\u3000-\u303f\uff00-\uffef]")

FEATURES = (
    "cosine", "lexical", "passage", "top", "rank", "exact", "fact", "no_fact", "number", "code", "command", "setting", "list", "lead",
    "other_release", "own_date", "row", "link", "first", "length",
)  # fmt: skip
_MIN_CHARS = 12  # half as many where they are Han
# What tells that a sentence holds the kind of fact that is asked for, whatever it is about.
FACT_FEATURES = frozenset({"exact", "fact", "no_fact", "number", "command", "own_date"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractSettings:
    """How much is quoted; `budget_chars` holds for an answer of one release.

    `margin` is how far behind the best sentence's score a further one may be, chosen on `dev`: no fact is lost by it.
    """

    sentences: int = 3
    margin: float = 4.0
    many: int = 6  # a comparison: all releases together
    budget_chars: int = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A candidate: offsets count characters of the passage's text. `topical` is its score without FACT_FEATURES."""

    hit: Hit
    start: int
    end: int
    score: float
    topical: float = 0.0

    @property
    def text(self) -> str:
        return self.hit.passage.text[self.start : self.end]


@cache
def load(path: Path = MODEL_FILE) -> dict[str, float]:
    """The fitted weights, one for each of FEATURES."""
    weights: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return weights


def has_fact(kind: str, text: str) -> bool:
    """Whether a sentence holds the kind of fact that is asked for; a kind without a pattern is held by any."""
    if kind == "person":
        return any(not _NOT_NAMES.search(name) for name in _NAME.findall(text))
    pattern = _FACTS.get(kind)
    return pattern is None or bool(pattern.search(text))


# What releases count: how questions name it, and how a number stands with it in a post.
_COUNT = r"(?<![\d.,])(\d[\d,]*)(?![\d.,])"
COUNTED = (
    (re.compile(r"\bcommits?\b|提交", re.IGNORECASE), re.compile(rf"{_COUNT}\s*(?:commits?\b|(?:次|个|条)?提交)", re.IGNORECASE)),
    (
        re.compile(r"\bcontribut|\bpeople\b|\bdevelopers?\b|贡献者|人", re.IGNORECASE),
        re.compile(rf"{_COUNT}\s*(?:contributors?\b|(?:位|名|个)(?:开发者|贡献者|人))", re.IGNORECASE),
    ),
)
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def fact_in(plan: Plan, text: str) -> str:
    """The words of a sentence that are the kind of fact asked for; "" for a kind that cannot be told by its form."""
    if plan.kind == "person":
        return next((name for name in _NAME.findall(text) if not _NOT_NAMES.search(name)), "")
    if plan.kind in ("why", "howto") or plan.kind not in _FACTS:
        return ""
    if plan.kind in ("date", "since") and (day := _DAY.search(text)):
        return day[0]
    told = next((told for asked, told in COUNTED if plan.kind == "number" and asked.search(plan.question)), None)
    days = [m.span() for m in _DAY.finditer(text)]
    for match in (told or _FACTS[plan.kind]).finditer(text):
        start, end = _whole_number(text, *match.span())
        if not any(a < end and start < b for a, b in days) and not text[:start].endswith(("#", "/v")):
            return text[start:end].strip()
    return ""


def _whole_number(text: str, start: int, end: int) -> tuple[int, int]:
    """A pattern may begin within a number: its first digits belong to it."""
    while start and (text[start - 1].isdigit() or (text[start - 1] in ".," and start > 1 and text[start - 2].isdigit())):
        start -= 1
    while (
        end < len(text) and text[end - 1].isdigit() and (text[end].isdigit() or (text[end] in ".," and text[end + 1 : end + 2].isdigit()))
    ):
        end += 1
    return start, end


def has_pattern(kind: str) -> bool:
    """Whether a kind of fact can be told by its form."""
    return kind in _FACTS or kind == "person"


def asks_exactly(kind: str) -> bool:
    """Whether a kind of fact is hard to mistake for another."""
    return kind in _EXACT


def rank(plan: Plan, hits: Sequence[Hit], snapshot: Snapshot, weights: dict[str, float] | None = None) -> list[Sentence]:
    """Return every sentence of `hits` that could be quoted, best first, ties by place."""
    weights = weights or load()
    found = []
    for hit, start, end, values in candidates(plan, hits, snapshot):
        topical = sum(weights[name] * value for name, value in values.items() if name not in FACT_FEATURES)
        factual = sum(weights[name] * value for name, value in values.items() if name in FACT_FEATURES)
        found.append(Sentence(hit=hit, start=start, end=end, score=round(topical + factual, 6), topical=round(topical, 6)))
    return sorted(found, key=lambda s: (-s.score, s.hit.passage.id, s.start))


def choose(plan: Plan, ranked: Sequence[Sentence], settings: ExtractSettings | None = None) -> list[Sentence]:
    """Return the sentences to quote, none of them said twice.

    Of each release that is compared some, oldest first; of a run of releases the best of each that has one.
    """
    settings = settings or ExtractSettings()
    if len(plan.releases) < 2 or plan.kind == "release":
        return _best(ranked, settings.sentences, settings, [])
    if plan.ranged:
        leading = {s.hit.passage.release: s for s in reversed(ranked)}
        story = _best(
            sorted(leading.values(), key=lambda s: -s.score),
            settings.many,
            replace(settings, budget_chars=2 * settings.budget_chars, margin=math.inf),
            [],
        )
        return sorted(story, key=lambda s: plan.releases.index(s.hit.passage.release))
    share = max(1, settings.many // len(plan.releases))
    chosen: list[Sentence] = []
    for release in plan.releases:
        chosen += _best(
            [s for s in ranked if s.hit.passage.release == release],
            share,
            replace(settings, budget_chars=settings.budget_chars // 2),
            chosen,
        )
    return chosen[: settings.many]


def _best(ranked: Sequence[Sentence], count: int, settings: ExtractSettings, said: Sequence[Sentence]) -> list[Sentence]:
    chosen: list[Sentence] = []
    length = 0
    for sentence in ranked:
        if len(chosen) == count or ranked[0].score - sentence.score > settings.margin:
            break
        if (chosen and length + len(sentence.text) > settings.budget_chars) or any(
            _same(sentence.text, other.text) for other in (*said, *chosen)
        ):
            continue
        chosen.append(sentence)
        length += len(sentence.text)
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


def candidates(plan: Plan, hits: Sequence[Hit], snapshot: Snapshot) -> list[tuple[Hit, int, int, dict[str, float]]]:
    """Return (hit, start, end, values of FEATURES) for each sentence of `hits` that says something by itself."""
    asked = _Asked(plan, snapshot)
    best = max((hit.rank_score for hit in hits), default=0.0)
    found = []
    for place, hit in enumerate(hits):
        shared = {
            "passage": hit.rank_score - best,
            "top": float(hit.passage.evidence_id == hits[0].passage.evidence_id),
            "rank": 1 / (1 + place),
        }
        for number, row in enumerate(snapshot.sentence_rows(hit.row)):
            start, end = snapshot.sentence_span(row)
            text = hit.passage.text[start:end]
            if end - start >= _MIN_CHARS // (2 if hit.passage.lang == "zh" else 1) and not text.endswith((":", "：")):
                first = float(number == 0 and hit.passage.id.endswith("/0"))
                own = asked.features(text, hit.passage.release) | {"cosine": hit.sentence_scores[number], "first": first}
                found.append((hit, start, end, shared | own))
    return found


class _Asked:
    """A question as its sentences are held against it."""

    def __init__(self, plan: Plan, snapshot: Snapshot) -> None:
        self.plan = plan
        self.folded = fold(plan.question)
        tokens = sorted(set(tokenize(plan.question)))
        self.weights = {token: snapshot.lexical.rarity(token) for token in tokens}
        self.total = sum(self.weights.values()) or 1.0
        self.for_link = bool(_LINK.search(plan.question))
        self.releases: Collection[str] = snapshot.manifest.releases

    def features(self, text: str, release: str) -> dict[str, float]:
        """The features that a sentence has by its text."""
        kind = self.plan.kind
        own = set(tokenize(text))
        new_codes = [code for code in _CODE.findall(text) if fold(code) not in self.folded]
        new_number = any(n not in self.plan.question for n in _ANY_NUMBER.findall(_OWN_NUMBERS.sub("", text)))
        named = set(re.findall(_RELEASE, text)) & set(self.releases)
        factual, asks_fact = has_fact(kind, text), has_pattern(kind)
        return {
            "lexical": sum(weight for token, weight in self.weights.items() if token in own) / self.total,
            "exact": float(factual and kind in _EXACT),
            "fact": float(factual and asks_fact and kind not in _EXACT),
            "no_fact": float(not factual and kind in _EXACT),
            "number": float(new_number and not asks_fact),
            "code": float(bool(new_codes) and kind == "what"),
            "command": float(bool(new_codes) and kind == "howto"),
            "setting": float(any("=" in code for code in new_codes) and kind in ("what", "howto")),
            "list": min(3, len(_ENUMERATION.findall(text))) / 3 if kind == "what" else 0.0,
            "lead": float(text.startswith((f"PyTorch {release}", f"In PyTorch {release}", f"在 PyTorch {release}"))),
            "other_release": float(bool(named - {release, *self.plan.releases})),
            "own_date": float(kind == "date" and named == {release}),
            "row": float(text.startswith("|")),
            "link": float("http" in text and not self.for_link),
            "length": math.log((len(text) + len(_WIDE.findall(text))) / 60),
        }


def _same(one: str, other: str) -> bool:
    """Whether two sentences say the same in nearly the same words."""
    a, b = set(tokenize(one)), set(tokenize(other))
    return bool(a and b) and len(a & b) / min(len(a), len(b)) > 0.85


def question_tokens(plan: Plan, lexical: LexicalIndex) -> list[str]:
    """The question's tokens that the posts know, rarest first: what the terminal marks."""
    return sorted({t for t in tokenize(plan.question) if lexical.known(t)}, key=lambda t: (-lexical.rarity(t), t))
