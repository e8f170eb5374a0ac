"""Compare the numbers that quotations hold: the one sentence of an answer that is the program's own."""

import re
from collections.abc import Sequence
from itertools import pairwise

from app.extract import Sentence
from app.messages import say
from app.plan import Plan

_NUMBER = r"(?<![\d.,])(\d[\d,]*)(?![\d.,])"
# What is counted: how questions name it, and how a number stands with it in a post.
_COUNTED = (
    (re.compile(r"\bcommits?\b|提交", re.IGNORECASE), re.compile(rf"{_NUMBER}\s*(?:commits?\b|(?:次|个|条)?提交)", re.IGNORECASE)),
    (
        re.compile(r"\bcontribut|\bpeople\b|\bdevelopers?\b|贡献者|人", re.IGNORECASE),
        re.compile(rf"{_NUMBER}\s*(?:contributors?\b|(?:位|名|个)(?:开发者|贡献者|人))", re.IGNORECASE),
    ),
)


def compare(plan: Plan, ranked: Sequence[Sentence]) -> tuple[str, list[Sentence]]:
    """Return a sentence that orders the named releases by what is counted, and the sentences with the numbers, in release order.

    ("", []) where the question compares nothing that is counted, or a release's number is not found.
    """
    if len(plan.releases) < 2 or not plan.compares:
        return "", []
    for asked, told in _COUNTED:
        if not asked.search(plan.question):
            continue
        found = [(r, s, m) for r in plan.releases if (pair := _first(r, ranked, told)) for s, m in [pair]]
        if len(found) < len(plan.releases):
            continue
        ordered = sorted(((int(number.replace(",", "")), release) for release, _, number in found), key=lambda side: -side[0])
        chain = f"{ordered[0][0]:,} ({ordered[0][1]})"
        for (larger, _), (value, release) in pairwise(ordered):
            chain += f" {'=' if value == larger else '>'} {value:,} ({release})"
        return say("compared", plan.lang, chain=chain), [sentence for _, sentence, _ in found]
    return "", []


def _first(release: str, ranked: Sequence[Sentence], told: re.Pattern[str]) -> tuple[Sentence, str] | None:
    """The best sentence of a release's own post that tells the number."""
    for sentence in ranked:
        match = told.search(sentence.text)
        if match and sentence.hit.passage.release == release:
            return sentence, match[1]
    return None
