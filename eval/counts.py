"""Count a question set: by release, type and language, and how much its wording owes to the passages."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean
from typing import TypeVar

from eval.questions import SPLITS, Dialogue, Question
from eval.report import table
from index.tokens import tokenize
from ingest.releases import sort_key

_LANGS = ("zh", "en")
_COLUMNS = [*(f"{split} {lang}" for split in SPLITS for lang in _LANGS), "all"]
Item = TypeVar("Item", Question, Dialogue)


def shared_words(question: Question, sections: Mapping[str, str]) -> float:
    """Return the share of a question's distinct tokens that stand in its evidence in its own language.

    `sections` are texts by section and language, "pytorch-2.12.en#linalg-eigh"; names, versions and
    numbers count as words, stop words do not.
    """
    asked = set(tokenize(question.question))
    texts = (sections.get(home.replace("#", f".{question.lang}#", 1), "") for piece in question.evidence for home in piece)
    held = {token for text in texts for token in tokenize(text)}
    return len(asked & held) / len(asked) if asked else 0.0


def report(questions: Sequence[Question], dialogues: Sequence[Dialogue], sections: Mapping[str, str]) -> str:
    """The counts as plain-text tables, a row for each release and type and a column for each split and language."""
    can = [q for q in questions if q.answerable]
    releases = sorted({release for q in can for release in q.releases}, key=sort_key)
    parts = [
        *_part("by release", [(r, [q for q in can if r in q.releases]) for r in releases]),
        *_part("by type", [(t, [q for q in can if q.type == t]) for t in sorted({q.type for q in can})]),
        *_part(
            "in all",
            [
                ("answerable", can),
                ("  of two or more releases", [q for q in can if len(q.releases) > 1]),
                ("  whose figures collide", [q for q in can if "collides" in q.tags]),
                ("unanswerable", [q for q in questions if not q.answerable]),
                ("  near misses", [q for q in questions if "near miss" in q.tags]),
            ],
        ),
        *_part("dialogues", [("dialogues", dialogues)]),
        *_part("turns of dialogues", [("turns", [turn for d in dialogues for turn in d.turns])]),
        "shared words: the mean share of a question's words that stand in its evidence",
        *table(["", *_COLUMNS], [["", *(_mean_shared(group, sections) for group in _columns(can))]]),
        "",
        f"{len(questions)} questions in {len({q.group for q in questions})} groups",
    ]
    return "\n".join(parts)


def _columns(items: Iterable[Item]) -> list[list[Item]]:
    every = list(items)
    return [[i for i in every if (i.split, i.lang) == (split, lang)] for split in SPLITS for lang in _LANGS] + [every]


def _part(title: str, rows: Sequence[tuple[str, Sequence[Item]]]) -> list[str]:
    return [title, *table(["", *_COLUMNS], ([name, *map(len, _columns(items))] for name, items in rows)), ""]


def _mean_shared(questions: Iterable[Question], sections: Mapping[str, str]) -> float | None:
    shares = [shared_words(q, sections) for q in questions]
    return mean(shares) if shares else None
