"""The question set: one JSON object a line, the zh and en forms of a question in one group and one split.

    {"id": "2.12-eigh-speed-en", "group": "2.12-eigh-speed", "lang": "en", "question": "…",
     "answer_keys": ["100", ["cuSolver", "cusolver"]], "evidence": [["pytorch-2.12#linalg-eigh", "pytorch-2.12#overview"]],
     "type": "number", "split": "dev", "answerable": true}

`tags` (optional): "collides" for a figure or term that other releases have too. `answer_keys`: every item must stand in the answer; of an inner list, any one. `evidence`: sections without
their language, both forms counting alike; one inner list for each piece of evidence that is needed, any
of its sections being enough; the first is its home, and a home is in one split only (an overview that
repeats a figure may stand behind homes of both).

A dialogue (`dialogues.jsonl`) is a list of `turns`, each a question without id, group, lang and split but
with `standalone`, the turn as one would word it alone.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ingest.errors import UserError
from ingest.storage import read_jsonl

TYPES = ("number", "who", "PR", "when", "what", "why", "how", "which release", "comparison", "list", "yes/no", "none")
SPLITS = ("dev", "test")
Record = TypeVar("Record")


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
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.lang not in ("zh", "en") or self.split not in SPLITS or self.type not in TYPES:
            raise ValueError(f"question {self.id}: lang {self.lang!r}, split {self.split!r}, type {self.type!r}")
        if self.answerable != bool(self.evidence) or self.answerable != bool(self.answer_keys):
            raise ValueError(f"question {self.id}: evidence and keys belong to answerable questions, and only to them")

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Question":
        keys = tuple((k,) if isinstance(k, str) else tuple(k) for k in record["answer_keys"])
        evidence = tuple((e,) if isinstance(e, str) else tuple(e) for e in record["evidence"])
        return cls(**(record | {"answer_keys": keys, "evidence": evidence, "tags": tuple(record.get("tags", ()))}))

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases whose posts hold its evidence, one for each piece, in the order of the pieces."""
        return tuple(dict.fromkeys(release_of(piece[0]) for piece in self.evidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """Questions asked one after the other; `standalone` has what each means without the others."""

    id: str
    group: str
    lang: str
    split: str
    turns: tuple[Question, ...]
    standalone: tuple[str, ...]

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Dialogue":
        shared = {name: record[name] for name in ("group", "lang", "split")}
        if not 2 <= len(record["turns"]) <= 4:
            raise ValueError(f"dialogue {record['id']}: {len(record['turns'])} turns")
        turns = tuple(
            Question.from_dict(
                {name: value for name, value in turn.items() if name != "standalone"} | shared | {"id": f"{record['id']}/{n}"}
            )
            for n, turn in enumerate(record["turns"], 1)
        )
        return cls(**shared, id=record["id"], turns=turns, standalone=tuple(turn["standalone"] for turn in record["turns"]))


def release_of(section: str) -> str:
    """The release of a section's post: "2.12" of "pytorch-2.12#linalg-eigh"."""
    return section.split("#", maxsplit=1)[0].rpartition("-")[2]


def load(path: Path) -> list[Question]:
    """Read and check a question set; UserError names the line that is wrong."""
    questions = _read(path, "question", Question.from_dict)
    _refuse_torn(path, [q.id for q in questions], questions)
    return questions


def load_dialogues(path: Path) -> list[Dialogue]:
    """Read and check a set of dialogues; UserError names the line that is wrong."""
    dialogues = _read(path, "dialogue", Dialogue.from_dict)
    _refuse_torn(path, [d.id for d in dialogues], [turn for d in dialogues for turn in d.turns])
    return dialogues


def _read(path: Path, what: str, make: Callable[[dict[str, Any]], Record]) -> list[Record]:
    found = []
    for number, record in enumerate(read_jsonl(path), 1):
        try:
            found.append(make(record))
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"is no {what}: {error}", where=f"{path}:{number}", remedy="mend the line") from error
    return found


def _refuse_torn(path: Path, ids: Iterable[str], questions: Sequence[Question]) -> None:
    problems = [f"id {i} stands {n} times" for i, n in Counter(ids).items() if n > 1]
    problems += [f"{what} is in both splits" for what in torn(questions)]
    if problems:
        raise UserError(problems[0], where=path, remedy="mend it")


def torn(questions: Iterable[Question]) -> list[str]:
    """Groups and homes of evidence that stand in both splits: what is tuned on must not be reported on."""
    splits: dict[str, set[str]] = defaultdict(set)
    for q in questions:
        for what in (f"group {q.group}", *(f"section {piece[0]}" for piece in q.evidence)):
            splits[what].add(q.split)
    return [what for what, found in splits.items() if len(found) > 1]


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
