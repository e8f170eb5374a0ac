"""Tokens for BM25 that keep what engineers search for whole: `torch.compile`, `#174619`, `2.12`, `fused=True`.

Identifiers come first, whole and in parts; then plain words; Chinese as bigrams between particles.
Everything is NFKC and casefolded, so the same rule serves posts and questions.
"""

import re
import unicodedata

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    rf"""
      (?P<pr>\#\d+)
    | (?P<version>v?\d+(?:\.\d+)+)
    | (?P<number>\d+(?:,\d{{3}})+|\d+)(?![A-Za-z_])
    | (?P<word>[^\W\d_{_HAN}]|_|\d)(?:[\w]|[.\-+:=](?=[A-Za-z0-9_]))*
    | (?P<han>[{_HAN}]+)
    """,
    re.VERBOSE,
)
_LATIN = re.compile(rf"(?:(?![{_HAN}])[\w.\-+:=])+")
_PART = re.compile(r"[A-Za-z]+|\d+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENGLISH_STOP = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "so", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your", "about", "any", "please", "tell"]
)  # fmt: skip
_CHINESE_STOP = frozenset(
    [
        "的是",
        "是什",
        "什么",
        "么是",
        "哪些",
        "有哪",
        "些的",
        "吗",
        "呢",
        "了",
        "的",
        "是",
        "在",
        "和",
        "与",
        "中的",
        "了什",
        "如何",
        "怎么",
        "怎样",
        "请问",
        "多少",
        "为什",
        "哪个",
        "个版",
        "是谁",
        "谁的",
        "是多",
        "少的",
        "一下",
        "以及",
        "可以",
        "是否",
        "有什",
        "能否",
        "哪一",
        "一个",
        "什麼",
    ]
)
# Characters that join words or ask, never part of a term: "快了多少" is about 快.
_PARTICLES = re.compile("多少|什么|怎么|怎样|如何|哪[个些里位家]?|为什么|是否|有没有|[的了吗呢吧么啊谁啥咋请问]")


def tokenize(text: str) -> list[str]:
    """Return the tokens of `text` in order, repeats kept, stop words dropped."""
    text = unicodedata.normalize("NFKC", text)
    tokens: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, piece = match.lastgroup, match[0]
        if kind == "han":
            tokens += _bigrams(piece)
        elif kind == "pr":
            tokens += [piece, piece[1:]]
        elif kind == "version":
            tokens.append(piece.lower().lstrip("v"))
        elif kind == "number":
            tokens.append(piece.replace(",", ""))
        else:
            for latin in _LATIN.findall(piece):
                tokens += _identifier(latin)
            for han in re.findall(f"[{_HAN}]+", piece):
                tokens += _bigrams(han)
    return [t for t in tokens if t not in _ENGLISH_STOP and t not in _CHINESE_STOP]


def _bigrams(run: str) -> list[str]:
    """Pairs of neighbours within the pieces that particles and question words leave; a lone character tells nothing."""
    pieces = [piece for piece in _PARTICLES.split(run) if piece]
    return [pair for piece in pieces for pair in (piece[i : i + 2] for i in range(len(piece) - 1))]


def _identifier(word: str) -> list[str]:
    """`torch.compile` → itself, torch, compile; `FlashAttention-2` → itself, flash, attention, 2; plain words once."""
    word = word.strip(".-+:=_")
    whole = word.casefold()
    if not whole:
        return []
    parts = [p.casefold() for piece in re.split(r"[.\-+:=_]+", word) for p in (_CAMEL.findall(piece) or [piece]) if p]
    joined = [p.casefold() for p in re.split(r"[.\-+:=]+", word) if p.casefold() != whole]
    out = [whole]
    for part in joined + parts:
        if part not in out and len(part) > 1:
            out.append(part)
    return [_stem(t) for t in out]


def _stem(token: str) -> str:
    """English plurals and common verb endings off, so that "drops" finds "drop"; identifiers stay."""
    if not token.isalpha() or not token.isascii():
        return token
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", "")):
        if token.endswith(ending) and len(token) - len(ending) >= 4 and not token.endswith("ss"):
            return token[: -len(ending)] + rest
    return token
