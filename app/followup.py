"""Make a follow-up stand alone: "那 2.6 呢？" after "2.4 有多少贡献者？" asks "2.6 有多少贡献者？".

Rules over word lists, in the question's own language. A turn either switches one element of the question
before it (a release, a device, a name), or asks another detail of what was talked about. A turn that
stands alone is left alone, and no turns are glued together.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from app.answer import SEPARATOR, Answer
from app.plan import named_releases, question_language
from index.tokens import tokenize
from ingest.releases import sort_key

_SPOKEN = r"(?:呢|吧|啊|呀|吗|的话|来着)?[\s？?。.!！,，]*$"
_LEADS = {
    "zh": re.compile(r"^(?:那么|那|还有|另外|再看看|再看|换成|对应的?|而|然后|至于)\s*(?!些|种|样)"),
    "en": re.compile(r"^(?:and|or|but|so|then|also|what about|how about|same (?:question )?for|now for)\b[\s,]*", re.IGNORECASE),
}
_PRONOUN = {
    "zh": re.compile(
        r"它们?(?!自)|他们?|她们?|(?:这|那)(?:个|项|种|场|些|条|次|版)?(?:选项|特性|功能|版本|参数|变量|开关|改动|变化|PR)?(?!么|样|里|边|时)|该(?!怎|如)"
    ),
    "en": re.compile(
        r"\b(?:(?:that|this|the same) (?:one|option|feature|change|release|version|flag|session|setting|variable|argument|parameter)(?:'s)?|its|it|they|them|their|those|these|this"
        r"|that(?=\s*[?.,!]|\s*$|'s))\b",
        re.IGNORECASE,
    ),
}
_ASKS_RELEASE = re.compile(r"哪(?:个|一)?个?版|什么时候|何时|\bwhich (?:\w+ )?(?:release|version)\b|\bwhen\b", re.IGNORECASE)
_WHY = re.compile(r"^(?:为什么|为啥|why)[\s？?呢]*$", re.IGNORECASE)
_SETTING = re.compile(r"option|flag|setting|variable|argument|parameter|选项|参数|变量|标志|开关", re.IGNORECASE)
_CODE = re.compile(r"`([^`]+)`")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:[._]\w+)*(?:=\w+)?")
_WHICH_ONE = re.compile(
    r"哪(?:一)?个(?:的)?[^，。？]{0,4}(?:更|最|多|大|快|高|早|晚)|谁更|\bwhich (?:one|of (?:them|the two|those))\b", re.IGNORECASE
)
_BEFORE = re.compile(
    r"(?:上|前)(?:一)?个?(?:版本|版|代)|\b(?:previous|prior|preceding|last) (?:one|version|release)\b|\b(?:version|release|one) before\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:下|后)(?:一)?个?(?:版本|版|代)|\b(?:next|following) (?:one|version|release)\b|\b(?:version|release|one) after\b", re.IGNORECASE
)
_NAME = re.compile(
    r"`[^`]+`|#\d+|[A-Za-z_]\w*(?:[.:=\-+]\w+)+|\d+(?:\.\d+)+|\b[A-Z][\w+\-]*(?: (?:[A-Z][\w+\-]*|\d+(?:\.\d+)*))*|\b\w*(?:_|\d)\w*\b"
)
_LATIN = re.compile(r"[A-Za-z_][\w.+=\-]*(?: [A-Z][\w.+\-]*)*|\d+(?:\.\d+)+")
_FILLER = re.compile(
    r"\b(?:and|or|what|how|about|for|to|with|on|in|of|the|a|an|is|are|was|were|does|do|did|under|at|same|then|it|ones?|part|parts|side|build|builds|version|release|models?|cards?|gpus?)\b"
    r"|那么|那|呢|再看看|再看|还有|换成|的话|版本|版|上|里|中|的|部分|是|卡|，|。",
    re.IGNORECASE,
)  # fmt: skip
# Words that begin a question with a capital, and the project itself, name nothing.
_GENERAL = frozenset(
    [
        "pytorch",
        "torch",
        "pr",
        "prs",
        "i",
        "a",
        "an",
        "the",
        "which",
        "what",
        "who",
        "when",
        "how",
        "why",
        "where",
        "is",
        "are",
        "was",
        "were",
        "does",
        "did",
        "do",
        "can",
        "in",
        "on",
        "of",
        "since",
        "by",
        "before",
        "after",
        "averaged",
        "over",
        "and",
        "my",
        "if",
        "with",
        "for",
        "to",
        "at",
        "from",
        "has",
        "have",
        "will",
        "whose",
        "it",
        "its",
    ]
)
# Where something runs, never what it is: a short turn that names nothing else leans on what was said.
_PLATFORMS = frozenset(
    [
        "cuda",
        "gpu",
        "gpus",
        "cpu",
        "cpus",
        "amd",
        "rocm",
        "intel",
        "nvidia",
        "mps",
        "apple",
        "xpu",
        "python",
        "windows",
        "linux",
        "macos",
        "arm",
        "x86",
        "h100",
        "a100",
        "v100",
        "b200",
        "mac",
        "cpp",
        "c++",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was asked before, standing alone; the heading and release of what answered it, and an identifier that the answer brought."""

    question: str
    heading: str = ""
    release: str = ""
    identifier: str = ""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """The turn that an answer leaves behind."""
        first = answer.citations[0] if answer.citations else None
        heading = first.section.rpartition(SEPARATOR)[2] if first and first.lang == answer.lang else ""
        question = answer.standalone or answer.question
        codes = (code for c in answer.citations for code in _CODE.findall(c.quote))
        return cls(
            question=question,
            heading=heading,
            release=first.release if first else "",
            identifier=next((code for code in codes if code not in question and _IDENTIFIER.fullmatch(code)), ""),
        )


def leans(question: str) -> bool:
    """Whether a turn needs the ones before it to be understood."""
    lang = "zh" if question_language(question) == "zh" else "en"
    if _LEADS[lang].match(question) or _BEFORE.search(question) or _AFTER.search(question):
        return True
    names = _names(question, lang)
    long = len(re.findall(r"[\u3400-\u9fff]", question)) > 12 if lang == "zh" else len(question.split()) > 7
    pronoun = _PRONOUN[lang].search(question)
    if pronoun:
        return not (long and any(question.find(name) < pronoun.start() and not name[0].isdigit() for name in names))
    if all(word.casefold() in _PLATFORMS for name in names for word in name.split()):
        return not long
    return bool(re.search(r"呢[\s？?]*$", question)) and not long


def standalone(question: str, history: Sequence[Turn], releases: Sequence[str]) -> list[str]:
    """Return what a turn may mean by itself, likeliest first; [question] where it stands alone.

    `history` is oldest first; `releases` are those that the posts cover.
    """
    question = question.strip()
    if not history or not leans(question):
        return [question]
    lang = "zh" if question_language(question) == "zh" else "en"
    last = history[-1]
    if question_language(last.question) != question_language(question) and not _names(last.question, lang):
        return [question]
    if _WHICH_ONE.search(question) and len(history) > 1:
        return [_compare(question, history, lang)]
    stepped = _step(question, last, releases)
    rest = _LEADS[lang].sub("", _BEFORE.sub(" ", _AFTER.sub(" ", question)))
    names = [stepped] if stepped else _names(rest, lang)
    left = rest
    for name in names:
        left = left.replace(name, " ")
    left = re.sub(_SPOKEN, "", _FILLER.sub(" ", left)).strip(" ?？,，。.!")
    if names and not left:
        switched = _switch(last.question, names, lang, releases)
        if switched:
            return switched
    return _details(rest, last, lang, releases, stepped)


def _names(question: str, lang: str) -> list[str]:
    """Names, identifiers and numbers with a dot, in order; in English a lone word after the lead too ("and lstsq?")."""
    kept = [_inner(name) for name in (_LATIN if lang == "zh" else _NAME).findall(question)]
    kept = [name for name in kept if name]
    if lang == "en" and not kept and _LEADS["en"].match(question):
        bare = [w for w in re.sub(r"[?.!]+$", "", _LEADS["en"].sub("", question)).split() if not _FILLER.fullmatch(w)]
        kept = bare if len(bare) == 1 else []
    return list(dict.fromkeys(kept))


def _inner(name: str) -> str:
    """A name without the general words at its ends: "Which PyTorch" names nothing, "PyTorch 2.4" is 2.4."""
    words = name.strip(".`").split(" ")
    while words and words[0].casefold() in _GENERAL:
        words = words[1:]
    while words and words[-1].casefold() in _GENERAL:
        words = words[:-1]
    return " ".join(words)


def _step(question: str, last: Turn, releases: Sequence[str]) -> str:
    """The release before or after the last one that was talked about; "" where none is meant."""
    known = sorted(releases, key=sort_key)
    step = -1 if _BEFORE.search(question) else 1 if _AFTER.search(question) else 0
    named = named_releases(last.question, known)
    at = named[-1] if named else last.release
    if not step or at not in known:
        return ""
    return known[max(0, min(len(known) - 1, known.index(at) + step))]


def _switch(last: str, names: Sequence[str], lang: str, releases: Sequence[str]) -> list[str]:
    """The last question with an element replaced by the one that is named: one form for each it may stand for."""
    new = names[0] if len(names) == 1 else (" 和 " if lang == "zh" else " and ").join(names)
    elements = [n for n in _names(last, lang) if n != new]
    is_release = new.lstrip("vV") in releases
    same = [
        n
        for n in elements
        if (n.lstrip("vV") in releases) == is_release and bool(re.fullmatch(r"[\d.]+", n)) == bool(re.fullmatch(r"[\d.]+", new))
    ]
    if not same and is_release:
        return [f"PyTorch {new} {last}" if lang == "zh" else f"{last.rstrip('?. ')} in PyTorch {new}?"]
    number = re.fullmatch(r"[\d.]+", new)
    forms = []
    for old in reversed(same):
        # "Python 3.12" → "Python 3.13": the number alone is replaced where both are numbers.
        old_part, new_part = old, new
        tail = re.search(r"\d+(?:\.\d+)+$", old)
        if number and tail:
            old_part = tail[0]
        elif "." in old and "." not in new and re.fullmatch(r"[a-z_]\w*", new):
            new_part = old.rpartition(".")[0] + "." + new
        forms.append(re.sub(rf"(?<![\w.]){re.escape(old_part)}(?![\w]|\.\d)", new_part.replace("\\", ""), last))
    if number and not forms:  # the number belongs to a product that is named: Python 3.12
        forms = [re.sub(r"\d+(?:\.\d+)+", lambda _: new, last, count=1)] if re.search(r"\d+(?:\.\d+)+", last) else []
    return [form for form in dict.fromkeys(forms) if form != last]


def _topics(turn: Turn, lang: str, releases: Sequence[str]) -> list[str]:
    """What a turn was about, likeliest first: the heading that answered it, and the names in the question."""
    names = [n for n in _names(turn.question, lang) if n.lstrip("vV") not in releases]
    missing = [n for n in names if not set(tokenize(n)) & set(tokenize(turn.heading))]
    by_heading = " ".join([turn.heading, *missing[-1:]]) if turn.heading else ""
    by_names = " ".join(names[-2:])
    shares = set(tokenize(turn.heading)) & set(tokenize(turn.question))
    ordered = [by_heading, by_names] if shares else [by_names, "" if names else by_heading]
    return list(dict.fromkeys(topic for topic in ordered if topic)) or [""]


def _details(rest: str, last: Turn, lang: str, releases: Sequence[str], stepped: str) -> list[str]:
    """The turn with the last one's topic where its pronoun stands, or beside it, and with its release."""
    pronoun = _PRONOUN[lang].search(rest)
    meant = last.identifier if pronoun and _SETTING.search(rest[pronoun.start() : pronoun.end() + 4]) else ""
    named = named_releases(rest, releases)
    carried = [stepped] if stepped else named_releases(last.question, releases)[-1:]
    release = "" if named or not carried or _ASKS_RELEASE.search(rest) else carried[0]
    body = re.sub(r"呢(?=[\s？?]*$)", "", rest).strip()
    if _WHY.match(body):
        return [f"为什么{last.question.rstrip('？?吗呢 ')}" if lang == "zh" else f"why {last.question}"]
    write = _detail_zh if lang == "zh" else _detail_en
    return [write(body, topic, release) for topic in ([meant] if meant else _topics(last, lang, releases))]


def _detail_zh(body: str, topic: str, release: str) -> str:
    front = f"PyTorch {release} 的" if release else ""
    replaced, count = _PRONOUN["zh"].subn(topic, body, count=1) if topic else (body, 0)
    return " ".join(part for part in (front, "" if count else topic, replaced) if part)


def _detail_en(body: str, topic: str, release: str) -> str:
    def put(match: re.Match[str]) -> str:
        word = match[0].casefold()
        return f"{topic}'s" if word in ("its", "their") or word.endswith("'s") else topic

    replaced, count = _PRONOUN["en"].subn(put, body, count=1) if topic else (body, 0)
    plain = replaced.rstrip("?. ")
    return plain + (f" of {topic}" if topic and not count else "") + (f" in PyTorch {release}" if release else "") + "?"


def _compare(question: str, history: Sequence[Turn], lang: str) -> str:
    """The last question's two switched elements, side by side, with what is asked about them."""
    one, other = (set(_names(turn.question, lang)) for turn in history[-2:])
    first = next((n for n in _names(history[-2].question, lang) if n not in other), "")
    second = next((n for n in _names(history[-1].question, lang) if n not in one), "")
    shared = [n for n in _names(history[-1].question, lang) if n in one]
    if not first or not second:
        return _details(question, history[-1], lang, (), "")[0]
    if lang == "zh":
        return f"{' '.join(shared)} {first} 和 {second} {question}".strip()
    body = re.sub(
        r"\bwhich (?:one|of (?:them|the two|those))\b", f"Which, {first} or {second},", question.rstrip("?. "), flags=re.IGNORECASE
    )
    return f"{body} ({', '.join(shared)})?" if shared else f"{body}?"
