"""Compare the numbers that quotations hold: the one sentence of an answer that is the program's own."""

import re
from collections.abc import Sequence
from itertools import pairwise

from app.extract import COUNTED, Sentence
from app.messages import say
from app.plan import Plan


def compare(plan: Plan, ranked: Sequence[Sentence]) -> tuple[str, list[Sentence]]:
    """Return a sentence that orders the named releases by what is counted, and the sentences with the numbers, in release order.

    ("", []) where the question compares nothing that is counted, or a release's number is not found.
    """
    if len(plan.releases) < 2 or not plan.compares:
        return "", []
    for asked, told in COUNTED:
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
