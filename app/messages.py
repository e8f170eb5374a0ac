"""Every word shown to users, by language; a test holds both languages to the same keys."""

from typing import Final

LANGS: Final = ("en", "zh")

WORDS: Final[dict[str, dict[str, str]]] = {
    "en": {
        "abstain": "The posts do not tell.",
        "no_release": "There is no post about release {asked} here; the nearest is {nearest}.",
        "compared": "Computed from the quotations: {chain}.",
        "understood": "Understood as: {question}",
        "filtered": "No post fits the chosen releases and languages.",
        "sources": "Sources",
        "nearest": "Nearest passages",
        "section_in": "quoted in {name}",
        "release": "release",
        "lang_en": "English",
        "lang_zh": "Chinese",
        "title": "release-qa",
        "tagline": "Answers from PyTorch release posts, each sentence a quotation with its place.",
        "question": "Your question",
        "placeholder": "e.g. How much faster is eigh in 2.12?",
        "ask": "Ask",
        "stop": "Stop",
        "clear": "New chat",
        "conversation": "Conversation",
        "no_sources": "The cited passages appear here.",
        "working": "Looking through the posts …",
        "failed": "Something went wrong here; the question is not answered. Please try again.",
        "open_post": "official post",
        "examples": "Try one of these",
    },
    "zh": {
        "abstain": "这些发布说明里没有提到。",
        "no_release": "这里没有 {asked} 版本的发布说明；最接近的是 {nearest}。",
        "compared": "由引文中的数字比较得出：{chain}。",
        "understood": "理解为：{question}",
        "filtered": "没有符合所选版本和语言的发布说明。",
        "sources": "来源",
        "nearest": "最接近的段落",
        "section_in": "引文语言：{name}",
        "release": "版本",
        "lang_en": "英文",
        "lang_zh": "中文",
        "title": "release-qa",
        "tagline": "依据 PyTorch 发布说明作答，每句话都是带出处的原文引用。",
        "question": "你的问题",
        "placeholder": "例如：2.12 的 eigh 快了多少？",
        "ask": "提问",
        "stop": "停止",
        "clear": "新对话",
        "conversation": "对话",
        "no_sources": "引用的段落会显示在这里。",
        "working": "正在查找发布说明……",
        "failed": "出了点问题，这个问题没有得到回答，请再试一次。",
        "open_post": "官方发布文章",
        "examples": "试试这些问题",
    },
}


def say(key: str, lang: str, **values: str) -> str:
    """The words for `key` in `lang` (English where the language has no table)."""
    return WORDS[lang if lang in WORDS else "en"][key].format(**values)


def language_name(lang: str, shown_in: str) -> str:
    """The name of a language, in another; its code where the table has no name."""
    words = WORDS[shown_in if shown_in in WORDS else "en"]
    return words.get(f"lang_{lang}", lang)
