"""Which language a text is in, from its letters: enough for posts, and it needs no model."""

import re

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN = re.compile(f"[{HAN}]")
_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_WORD = re.compile("[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'-]*")
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
_FRENCH = re.compile(r"\b(?:le|la|les|des|une|est|dans|pour|avec|sur|du|et|au|aux|qui|que)\b", re.IGNORECASE)
_ENGLISH = re.compile(r"\b(?:the|of|and|is|to|in|for|with|on|that|this|are|by|was)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?:^|[._\-/ ])(zh|en|ja|ko|fr)(?:[-_](?:cn|hans|tw|hant|us|gb))?(?=$|[._\-/ ])", re.IGNORECASE)


def detect(text: str, default: str = "en") -> str:
    """Return "zh", "en", "ja", "ko" or "fr" for `text`; `default` where it has no letters.

    A Han character weighs as much as a Latin word, for Chinese posts are full of English names.
    Code and addresses do not count.
    """
    prose = _CODE.sub(" ", text)
    han, kana, hangul = (len(p.findall(prose)) for p in (_HAN, _KANA, _HANGUL))
    words = len(_WORD.findall(prose))
    if hangul > max(han, kana, words // 2):
        return "ko"
    if kana > 0.2 * (han + kana) and kana > words // 2:
        return "ja"
    if han > 0.5 * words and han:
        return "zh"
    if not words:
        return "zh" if han else default
    return "fr" if len(_FRENCH.findall(prose)) > 2 * len(_ENGLISH.findall(prose)) + 2 else "en"


def named_in(path: str) -> str:
    """The language a file's name or folder states ("zh.md", "2.2-zh-0.txt"), or ""."""
    found = _NAMED.findall(path)
    return found[-1].lower() if found else ""
