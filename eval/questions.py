"""The question set: one JSON object a line, the zh and en forms of a question in one group and one split.

    {"id": "2.12-eigh-speed-en", "group": "2.12-eigh-speed", "lang": "en", "question": "…",
     "answer_keys": ["100", ["cuSolver", "cusolver"]], "evidence": [["pytorch-2.12#linalg-eigh", "pytorch-2.12#overview"]],
     "type": "number", "split": "dev", "answerable": true}

`answer_keys`: every item must stand in the answer; of an inner list, any one. `evidence`: sections without
their language, both forms counting alike; one inner list for each piece of evidence that is needed, any
of its sections being enough.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.errors import UserError
from ingest.storage import read_jsonl

TYPES = ("number", "who", "PR", "when", "what", "why", "how", "which release", "comparison", "list", "yes/no", "none")
SPLITS = ("dev", "test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question in one language."""

    id: str
    group: str
    lang: str
    question: str
    answer_keys: tuple[tuple[str, ...], ...]
    evidence: tuple[tuple[str, ...], ...]
    type: str
    split: str
    answerable: bool

    def __post_init__(self) -> None:
        if self.lang not in ("zh", "en") or self.split not in SPLITS or self.type not in TYPES:
            raise ValueError(f"question {self.id}: lang {self.lang!r}, split {self.split!r}, type {self.type!r}")
        if self.answerable != bool(self.evidence) or self.answerable != bool(self.answer_keys):
            raise ValueError(f"question {self.id}: evidence and keys belong to answerable questions, and only to them")

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Question":
        keys = tuple((k,) if isinstance(k, str) else tuple(k) for k in record["answer_keys"])
        evidence = tuple((e,) if isinstance(e, str) else tuple(e) for e in record["evidence"])
        return cls(**(record | {"answer_keys": keys, "evidence": evidence}))


def load(path: Path) -> list[Question]:
    """Read and check a question set; UserError names the line that is wrong."""
    questions: list[Question] = []
    for number, record in enumerate(read_jsonl(path), 1):
        try:
            questions.append(Question.from_dict(record))
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"is no question: {error}", where=f"{path}:{number}", remedy="mend the line") from error
    problems = [*_repeated(q.id for q in questions), *_torn(questions)]
    if problems:
        raise UserError(problems[0], where=path, remedy="mend it")
    return questions


def _repeated(ids: Iterable[str]) -> list[str]:
    return [f"id {i} stands {n} times" for i, n in Counter(ids).items() if n > 1]


def _torn(questions: Sequence[Question]) -> list[str]:
    """Groups and evidence that stand in both splits: what is tuned on must not be reported on."""
    splits: dict[str, set[str]] = defaultdict(set)
    for q in questions:
        splits[f"group {q.group}"].add(q.split)
    return [f"{what} is in both splits" for what, found in splits.items() if len(found) > 1]


def holds(answer: str, keys: Sequence[Sequence[str]]) -> bool:
    """Whether every key stands in the answer; case, spaces, full width, thousands commas and code marks aside.

    A number must stand by itself: 18 is not in 118, nor 2.1 in 2.12.
    """
    folded = _fold(answer)
    return all(any(_stands(_fold(key), folded) for key in options) for options in keys)


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s`*]", "", re.sub(r"(?<=\d),(?=\d{3})", "", text))


def _stands(key: str, text: str) -> bool:
    before = r"(?<![\d.])" if key[:1].isdigit() else ""
    after = r"(?!\d|\.\d)" if key[-1:].isdigit() else ""
    return bool(re.search(before + re.escape(key) + after, text))
