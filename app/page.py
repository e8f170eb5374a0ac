"""The chat page: a question, the streamed answer, and beside it the passages that it quotes."""

import html
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from app.assistant import Assistant
from app.followup import Turn
from app.messages import WORDS, say
from app.plan import question_language
from app.render import answer_parts, as_typed, cards
from app.settings import MAX_QUESTION_CHARS
from ingest.errors import UserError

log = logging.getLogger(__name__)

STARTERS = {
    "en": ("How much faster is eigh in PyTorch 2.12?", "Who added torch.cond capture in CUDA Graphs?", "What came with PyTorch 2.2?"),
    "zh": ("2.12 的 eigh 快了多少？", "谁为 Adagrad 加上了 fused=True？", "PyTorch 2.2 从源码构建需要什么版本的 GCC？"),
}
CSS = """
.gradio-container { max-width: 1280px !important; margin: 0 auto !important; }
.source { border: 1px solid var(--border-color-primary); border-radius: 8px; padding: 12px; margin-bottom: 12px; scroll-margin: 12px; }
.source:target { outline: 2px solid var(--color-accent); }
.source h3 { margin: 0 0 4px; font-size: 1rem; }
.source .place { margin: 0 0 8px; color: var(--body-text-color); font-size: .85rem; }
.source blockquote, .sources blockquote { margin: 0 0 8px; overflow-wrap: anywhere; font-style: normal; }
.source mark { background: #fde68a; color: #1f2937; padding: 1px 2px; border-radius: 3px; }
"""
_FONTS = ["system-ui", "-apple-system", "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "sans-serif"]
THEME = gr.themes.Default(font=_FONTS, font_mono=["ui-monospace", "Menlo", "Consolas", "monospace"])
I18N = gr.I18n(**{"en": WORDS["en"], "zh-CN": WORDS["zh"], "zh-TW": WORDS["zh"]})

_REMEMBERED = 4  # turns that a follow-up may lean on
Messages = list[dict[str, Any]]
Update = tuple[Messages, str, list[Turn]]


def respond(assistant: Assistant, question: str, history: Messages, turns: Sequence[Turn] = ()) -> Iterator[Update]:
    """Yield (messages, sources, turns) as the answer grows. It never raises: what fails becomes a message."""
    turn = sum(1 for message in history if message["role"] == "user")
    lang = question_language(question)
    messages: Messages = [*history, {"role": "user", "content": as_typed(question)}]
    yield [*messages, {"role": "assistant", "content": say("working", lang)}], "", list(turns)
    try:
        answer = assistant.ask(question, history=turns)
        talked = [*turns, Turn.of(answer)][-_REMEMBERED:]
        panel = cards(answer, turn)
        shown = ""
        for part in answer_parts(answer, turn):
            shown += part
            yield [*messages, {"role": "assistant", "content": shown}], panel, talked
    except UserError as error:
        yield [*messages, {"role": "assistant", "content": as_typed(str(error))}], "", list(turns)
    except Exception:
        log.exception("a question could not be answered")
        yield [*messages, {"role": "assistant", "content": say("failed", lang)}], "", list(turns)


def build_page(assistant: Assistant) -> gr.Blocks:
    """Return the page, not yet served."""

    def panel(cards_html: str) -> str:
        inside = cards_html or f"<p>{html.escape(str(WORDS['en']['no_sources']))} {html.escape(WORDS['zh']['no_sources'])}</p>"
        return f'<div class="sources" tabindex="0" role="region" aria-label="Sources 来源">{inside}</div>'

    def ask(question: str, history: Messages, turns: list[Turn]) -> Iterator[Update]:
        for messages, cards_html, talked in respond(assistant, question, history, turns):
            yield messages, panel(cards_html), talked

    page: gr.Blocks
    with gr.Blocks(title="release-qa", analytics_enabled=False) as page:
        gr.Markdown("# release-qa")
        gr.Markdown(I18N("tagline"))
        asked, turns = gr.State(""), gr.State([])
        with gr.Row():
            with gr.Column(scale=3, min_width=340):
                chat = gr.Chatbot(
                    label=I18N("conversation"), height=460, latex_delimiters=[], buttons=["copy"], feedback_options=None, allow_file_downloads=False
                )  # fmt: skip
                box = gr.Textbox(
                    label=I18N("question"), placeholder=I18N("placeholder"), max_lines=6, max_length=MAX_QUESTION_CHARS, autofocus=True
                )  # fmt: skip
                with gr.Row():
                    send = gr.Button(I18N("ask"), variant="primary")
                    stop = gr.Button(I18N("stop"))
                    clear = gr.Button(I18N("clear"))
                gr.Markdown(I18N("examples"))
                with gr.Row():
                    starters = [gr.Button(text, size="sm") for lang in STARTERS for text in STARTERS[lang]]
            with gr.Column(scale=2, min_width=320):
                gr.Markdown(I18N("sources"))
                sources = gr.HTML(panel(""))
        running = []
        for trigger in (box.submit, send.click):
            took = trigger(lambda text: (text, ""), box, [asked, box], queue=False, api_visibility="private")
            running.append(took.then(ask, [asked, chat, turns], [chat, sources, turns], api_visibility="private", show_progress="hidden"))
        for button in starters:
            took = button.click(lambda text=button.value: text, None, asked, queue=False, api_visibility="private")
            running.append(took.then(ask, [asked, chat, turns], [chat, sources, turns], api_visibility="private", show_progress="hidden"))
        stop.click(None, cancels=running, api_visibility="private")
        clear.click(lambda: ([], panel(""), []), None, [chat, sources, turns], queue=False, api_visibility="private")
    page.queue(default_concurrency_limit=8, max_size=64)
    return page
