"""A run as tables for the terminal, and the floors it is held to."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eval.metrics import MEASURES
from ingest.errors import UserError


def tables(result: dict[str, Any]) -> str:
    """The figures of a run as plain-text tables."""
    names = [*MEASURES, "complete@10"]
    lines = ["Retrieval (question language, passages in the same / other / both languages)"]
    lines += table(["", *names, "n"], ([key, *(v.get(n) for n in names), v["questions"]] for key, v in result["retrieval"].items()))
    for title, key in (
        ("Answers, by question language", "answers"),
        ("Answers, by type", "types"),
        ("Answers, by release", "releases"),
        ("Unanswerable questions", "refusals"),
        ("Dialogues", "dialogues"),
        ("What each part adds", "ablation"),
    ):
        if key not in result:
            continue
        columns = list(next(iter(result[key].values()), {}))
        lines += ["", title, *table(["", *columns], ([name, *(row.get(c) for c in columns)] for name, row in result[key].items()))]
    confidence = result["confidence"]
    lines += ["", f"Confidence (AUROC {cell(confidence['auroc'])}): what was said and what came true"]
    lines += table(["from", "to", "questions", "said", "true"], (list(row.values()) for row in confidence["reliability"]))
    lines += ["", "95 % intervals (bootstrap by question group)"]
    lines += table(["", "low", "high"], ([name, *bounds] for name, bounds in result["intervals"].items() if bounds))
    return "\n".join(lines)


def table(head: list[str], rows: Iterable[list[Any]]) -> list[str]:
    """Lines of a plain-text table: the first column to the left, the others to the right; None is a dash."""
    cells = [head, *([cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return [
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))).rstrip() for row in cells
    ]


def cell(value: Any) -> str:
    """A value as a table shows it: three places for shares, a dash for none."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) and value <= 1 else f"{value:g}" if isinstance(value, float) else str(value)


def below_floor(result: dict[str, Any], expected: Path) -> list[str]:
    """Return a line for each figure that is worse than `expected` says.

    The file's tables follow the run's own keys; a key that ends in "<=" names a ceiling. A floor whose
    figure is not in the run counts as missed.
    """
    try:
        floors = tomllib.loads(expected.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot be read: {error}", where=expected, remedy="restore it from the repository") from error
    missed = []
    for part, groups in floors.items():
        for group, wanted in groups.items():
            for name, bound in wanted.items():
                ceiling = name.endswith("<=")
                measure = name.removesuffix("<=").strip()
                value = result.get(part, {}).get(group, {}).get(measure)
                if value is None or (value > bound if ceiling else value < bound):
                    missed.append(f"{part} / {group} / {measure}: {cell(value)}, must be {'at most' if ceiling else 'at least'} {bound}")
    return missed
