"""A run as one page that needs nothing else: tables, bars and what each figure means, readable offline."""

import html
from collections.abc import Iterable
from typing import Any

from eval.report import cell

_STYLE = """
body { font: 16px/1.5 system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; color: #1f2937; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-variant-numeric: tabular-nums; } caption { text-align: left; font-weight: 600; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #e5e7eb; text-align: right; } th:first-child, td:first-child { text-align: left; }
.scroll { overflow-x: auto; } .bar { background: #dbeafe; display: inline-block; height: .9em; vertical-align: middle; margin-left: .4em; }
@media (prefers-color-scheme: dark) { body { background: #111827; color: #e5e7eb; } th, td { border-color: #374151; } .bar { background: #1d4ed8; } }
"""
_PARTS = (
    ("retrieval", "Retrieval", "The share of the needed sections among the first 1, 5 or 10 found, by language of question and passages."),
    ("answers", "Answers by question language", "Whether the asked fact stands in the quotations, and whether refusals are right."),
    ("types", "Answers by type", "The same by the kind of answer that is asked for."),
    ("releases", "Answers by release", "The same by the release whose post holds the evidence."),
    ("refusals", "Unanswerable questions", "Near misses ask for what the posts leave out; the others for something else altogether."),
    ("dialogues", "Dialogues", "Turns that lean on the ones before them."),
    ("ablation", "What each part adds", "Recall at 5 as parts of the retrieval are switched on; p: the chance that the gain is luck."),
)  # fmt: skip


def page(result: dict[str, Any]) -> str:
    """The whole page; every text in it is escaped."""
    about = f"{result['date']} · {result['split']} · {result['model']} · {result['passages']} passages · commit {result['commit']}"
    body = [f"<h1>release-qa: what was measured</h1><p>{html.escape(about)}<br>corpus {html.escape(result['corpus_sha256'][:16])}</p>"]
    for key, title, meaning in _PARTS:
        if result.get(key):
            body.append(f"<h2>{html.escape(title)}</h2><p>{html.escape(meaning)}</p>")
            columns = list(next(iter(result[key].values())))
            body.append(_table(["", *columns], ([name, *(row.get(c) for c in columns)] for name, row in result[key].items())))
    confidence = result["confidence"]
    body.append(f"<h2>Confidence</h2><p>What was said and what came true; AUROC {cell(confidence['auroc'])}.</p>")
    body.append(_table(["from", "to", "questions", "said", "true"], (list(row.values()) for row in confidence["reliability"])))
    body.append("<h2>95 % intervals</h2><p>Bootstrap; the Chinese and English forms of a question are drawn together.</p>")
    body.append(_table(["", "low", "high"], ([name, *bounds] for name, bounds in result["intervals"].items() if bounds)))
    return f'<!doctype html><html lang="en"><meta charset="utf-8"><title>release-qa report</title><style>{_STYLE}</style>{"".join(body)}</html>\n'


def _table(head: list[str], rows: Iterable[list[Any]]) -> str:
    top = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="scroll"><table><tr>{top}</tr>{lines}</table></div>'


def _cell(value: Any) -> str:
    bar = f'<span class="bar" style="width:{40 * value:.0f}px"></span>' if isinstance(value, float) and 0 <= value <= 1 else ""
    return f"<td>{html.escape(cell(value))}{bar}</td>"
