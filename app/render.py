"""An answer for the page: text exactly as it stands in posts and questions, with nothing of it becoming markup."""

import html
import re

from app.answer import Answer, Citation
from app.messages import language_name, say

_MARKUP = re.compile(r"[`\\*_{}\[\]()#+\-.!|<>~$&:@/=\"']")


def as_typed(text: str) -> str:
    """Every character that Markdown or HTML could read as markup as an entity: it shows as it was typed."""
    return _MARKUP.sub(lambda m: f"&#{ord(m[0])};", text).replace("\n", "<br>")


def answer_parts(answer: Answer, turn: int) -> list[str]:
    """The answer as pieces to stream, each a sentence with its link to the card beside the chat."""
    if not answer.citations:
        understood = say("understood", answer.lang, question=answer.standalone) + "\n" if answer.standalone else ""
        return [as_typed(understood + answer.answer)]
    parts = [f"{_with_fact(c)} [&#91;{c.n}&#93;](#{card_id(turn, c.n)}) " for c in answer.citations]
    if answer.standalone:
        parts.insert(0, f"<em>{as_typed(say('understood', answer.lang, question=answer.standalone))}</em><br>")
    return [*parts, f"<br><em>{as_typed(answer.computed)}</em>"] if answer.computed else parts


def _with_fact(citation: Citation) -> str:
    """The quote as typed, the asked fact in bold."""
    before, fact, after = citation.quote.partition(citation.fact) if citation.fact else (citation.quote, "", "")
    return as_typed(before) + (f"<strong>{as_typed(fact)}</strong>" if fact else "") + as_typed(after)


def card_id(turn: int, n: int) -> str:
    """The id of a citation's card; it holds the turn, so that an older answer's link opens no newer card."""
    return f"turn-{turn}-source-{n}"


def cards(answer: Answer, turn: int) -> str:
    """The cited passages as HTML, the quoted words marked; for a refusal the nearest passages, folded."""
    if answer.citations:
        return "".join(_card(c, turn, answer.lang) for c in answer.citations)
    near = "".join(
        f"<li><strong>{html.escape(r.document)}</strong> › {html.escape(r.section)}<blockquote>{_lines(r.text)}</blockquote></li>"
        for r in answer.retrieved[:3]
    )
    return f"<details><summary>{html.escape(say('nearest', answer.lang))}</summary><ol>{near}</ol></details>" if near else ""


def _card(c: Citation, turn: int, lang: str) -> str:
    at = c.text.find(c.quote)
    before, after = c.text[:at], c.text[at + len(c.quote) :]
    facts = [f"PyTorch {c.release}" if "pytorch" in c.passage_id else c.release]
    if c.lang != lang:
        facts.append(say("section_in", lang, name=language_name(c.lang, lang)))
    link = ""
    if c.url.startswith(("https://", "http://")):
        address = html.escape(c.url, quote=True)
        link = f'<a href="{address}" target="_blank" rel="noopener noreferrer">{html.escape(say("open_post", lang))} ↗</a>'
    return (
        f'<article class="source" id="{card_id(turn, c.n)}" lang="{html.escape(c.lang, quote=True)}" tabindex="-1">'
        f"<h3>[{c.n}] {html.escape(c.document)}</h3>"
        f'<p class="place">{html.escape(c.section)} · {html.escape(" · ".join(facts))}</p>'
        f"<blockquote>{_lines(before)}<mark>{_lines(c.quote)}</mark>{_lines(after)}</blockquote>{link}</article>"
    )


def _lines(text: str) -> str:
    return html.escape(text).replace("\n", "<br>")
