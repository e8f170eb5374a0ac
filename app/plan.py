"""Read a question before searching: its language, the releases, identifiers and kind of fact it asks for.

Rules over word lists in both languages; nothing is guessed from the posts' text.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.settings import MAX_QUESTION_CHARS
from index.search import fold
from ingest.errors import UserError
from ingest.language import HAN, detect
from ingest.releases import sort_key

_HAN = re.compile(f"[{HAN}]")
_OTHER_PRODUCT = (
    "cuda|python|rocm|gcc|cudnn|cmake|macos|driver|nccl|triton|onednn|numpy|c\\+\\+|metal|cusolver|clang|msvc|xcode|manylinux|glibc|"
    "ubuntu|rhel|ptx|opencl|sycl|openmp|hip|驱动"
)
_VERSION = re.compile(
    rf"(?P<before>(?:\b(?:{_OTHER_PRODUCT})\s*(?:version\s*|版本\s*)?[vV]?)?)(?<![\w.])[vV]?(?P<release>\d{{1,2}}\.\d{{1,3}})(?:\.(?:\d+|x))?"
    r"(?P<after>\s*(?:[xX×%+]|倍|times|percent|百分|GB|MB|ms|秒|s\b))?(?![\d])",
    re.IGNORECASE,
)
_PROJECT_BEFORE = re.compile(r"(?:pytorch|torch|release|version|版本|版)\s*v?$", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:latest|newest|most recent|current)\b[\w\s]{0,20}\b(?:release|version|pytorch)\b(?!(?: \w+){0,3} (?:can|could|may|works?|runs?|supports?)\b)"
    r"|最新(?:的)?(?:版|发布|PyTorch|一版)(?!.{0,4}(?:能用|可以用|能跑|还能))",
    re.IGNORECASE,
)
_V = r"[vV]?(\d{1,2}\.\d{1,3})(?:\.(?:\d+|x))?(?![\d.]*\d)"
_PROJECT = r"(?:pytorch|torch|release|version|版本)?\s*"
# Releases that are meant by another one: the one before it, the one after it, all between two, all since one, all.


def _beside(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:version|release|one) (?:right )?{english} {_PROJECT}{_V}|{_V}\s*(?:版本|版)?\s*(?:的)?{chinese}(?:一)?(?:个)?(?:版本|版)",
        re.IGNORECASE,
    )


_BEFORE, _AFTER = _beside("before", "(?:上|前)"), _beside("after", "(?:下|后)")
_BETWEEN = re.compile(
    rf"(?:\bbetween|\bfrom|从|在)\s*{_PROJECT}{_V}\s*(?:版本|版)?\s*(?:and|to|until|through|到|至|和|与|~|-)\s*{_PROJECT}{_V}",
    re.IGNORECASE,
)
_SINCE = re.compile(
    rf"\bsince {_PROJECT}{_V}|(?:从|自)\s*{_PROJECT}{_V}\s*(?:版本|版)?\s*(?:开始|起|以来|之后|至今|到现在)|{_V}\s*(?:版本|版)?\s*以来",
    re.IGNORECASE,
)
_EVERY = re.compile(
    r"\b(?:all|every|each)(?: of)?(?: the)? (?:releases?|versions?)\b|所有(?:的)?(?:版本|版)|各(?:个)?(?:版本|版)|每(?:个|一个)?(?:版本|版)|历(?:次|个)(?:版本|发布)",
    re.IGNORECASE,
)
_PR = re.compile(r"#(\d{3,7})\b|\b(?:PR|issue|pull request)\s*(?:number|号)?\s*#?\s*(\d{4,7})\b", re.IGNORECASE)
_IDENTIFIER = re.compile(
    r"`([^`\n]{2,80})`|((?:[A-Za-z_][A-Za-z0-9_]*)(?:\.[A-Za-z_][A-Za-z0-9_]*)+|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+[A-Z][A-Za-z0-9]*|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*)"
)  # fmt: skip

# A question that asks for nothing but what a release brings: these words and the release's name are all it has.
_SUMMARY = re.compile(
    r"(?:what|which|whats|s|is|are|was|were|the|in|of|with|does|did|do|has|have|come|comes|came|bring|brings|brought|new|news|main|key|major|"
    r"most|important|big|biggest|top|feature|features|highlight|highlights|change|changes|changed|improvement|improvements|there|about|"
    r"before|after|next|previous|summarize|summarise|summary|list|tell|me|give|release|version|pytorch|overview|includes?|and|latest|newest|recent|"
    r"有|了|的|是|哪些|什么|啥|新|特性|功能|新特性|新功能|亮点|看点|重点|主要|重要|更新|内容|变化|改动|改进|带来|带|来|发布|版本|版|这个|介绍|一下|总结|概述|都|请|列出|里|中|呢|吗|和|与|跟|最新|一版|上一个|下一个|前一个|后一个|上|下)+",
    re.IGNORECASE,
)

KINDS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "pr": r"\b(?:which|what|whose)\b[^?]{0,40}\b(?:PR|PRs|pull requests?|issue)\b|\bPR number|PR\s*(?:号|编号|是)|(?:哪个|哪些|几号|什么|哪几个)\s*(?:PR|issue|拉取请求)|在哪个\s*PR",
        "person": r"\bwho\b|\bwhose\b|\bwhom\b|\bby which (?:person|author|company|vendor)\b|\b(?:author|contributor)s? of\b|谁|哪位|哪几位|作者|由哪(?:家|个公司|些人)|哪家公司|哪些人",
        "since": r"\bwhen (?:will|does|did|do)\b.*\b(?:become|start|stop|raise|fail|default|require|remove|deprecate)|什么时候(?:开始|起)|何时(?:开始|起)",
        "date": r"\bwhen\b(?!\s+(?:i|you|using|a|the|an|compiling|building)\b)|\bwhat (?:dates?|days?|time)\b|\brelease dates?\b|\bon which (?:date|day)\b|何时|什么时候|啥时候|什么时间|哪天|哪一天|几月几[日号]|日期|几点",
        "release": r"\b(?:which|what) (?:\w+ ){0,2}(?:releases?|versions?)\b(?! of (?!pytorch|torch))|\b(?:latest|newest|last|first|oldest|earliest) (?:pytorch|torch|release|version)\b|\bsince when\b|\bsince which\b|哪个版本|哪些版本|哪几个版本|哪一版|哪版|哪个版|哪一个版本|从哪版|什么版本|啥版本|哪个发布|(?:最后|最早|最新)[^，。？]{0,12}(?:哪|什么|几)",
        "ratio": r"\bwhat percentage\b|\bby what percent|\bhow many percent|\bhow (?:much|many times) (?:faster|slower|quicker|more)\b|\bspeed-?ups?\b|百分之(?:多少|几)|几个百分点"
        r"|[快慢高低]了?(?:多少|几)|提[升速高]了?(?:多少|几)|加速比|几倍",
        "time": r"\bhow many (?:milli|micro)?(?:seconds|minutes|hours)\b|\b(?:in|by) (?:milli|micro)?seconds\b|\blatency\b|几(?:毫|微)?秒|多少(?:毫|微)?秒|几分钟|多少分钟|延迟",
        "memory": r"\bhow (?:much|many) (?:\w+ ){0,2}(?:memory|VRAM|GB|MB)\b|\bhow large\b|多少(?:显存|内存|GB|MB)|(?:显存|内存)(?:占用)?(?:是)?多少|有多大",
        "number": r"\bhow (?:many|much|fast|large|long|big|often|far)\b|\bwhat (?:percentage|percent|share|speed-?up|number|fraction|range|factor|port)\b|\bwhat is the (?:\w+ )?(?:value|maximum|minimum|size|limit)\b|多少|几个|几倍|几次|几位|多大|多快|多久|百分之几|幅度|提升了?多|[快慢高低]了?多",
        "howto": r"\bhow (?:do|can|should|would|to|does one|is\b.*\b(?:enabled|turned|switched|set))\b|\bwhat (?:flag|command|environment variable|option|argument|setting|api|call)\b|怎么|怎样|如何|什么命令|哪个(?:参数|环境变量|命令|选项|接口|API)|用什么",
        "why": r"\bwhy\b|\bwhat (?:was the )?(?:reason|problem)\b|为什么|为何|原因|解决了什么",
    }.items()
}


_COMPARES = re.compile(
    r"\b(?:more|less|fewer|larger|bigger|higher|most|fewest|compare|compared|versus|vs|difference|differ)\b|哪个|谁更|更多|更少|最多|最少|相比|对比|比较|差多少|差别|区别",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a question asks for.

    `releases` are those it names that the posts have, oldest first; `missing` those they have not.
    `identifiers` are folded (NFKC, casefold); `prs` are "#174619". `kind` is a key of KINDS, "summary", or "what"; `compares`
    says that it sets things side by side, `ranged` that its releases are a run of them ("since 2.3").
    """

    question: str
    lang: str
    releases: tuple[str, ...]
    missing: tuple[str, ...]
    identifiers: tuple[str, ...]
    prs: tuple[str, ...]
    kind: str
    compares: bool = False
    ranged: bool = False


def clean_question(question: str) -> str:
    """Return the question fit to search with; UserError for one that asks nothing, or cannot be read."""
    where = "question"
    text = question.strip()
    odd = next((c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n\r"), None)
    if odd is not None:
        raise UserError(f"holds a control character (U+{ord(odd):04X})", where=where, remedy="take it out")
    if not text:
        raise UserError("is empty", where=where, remedy='ask something, e.g. "How much faster is eigh in 2.12?"')
    if len(text) > MAX_QUESTION_CHARS:
        raise UserError(f"has {len(text):,} characters, more than {MAX_QUESTION_CHARS:,}", where=where, remedy="shorten it")
    letters = sum(c.isalnum() for c in text)
    if not letters:
        raise UserError("holds no letters or digits", where=where, remedy="ask in words")
    if letters < 2:
        raise UserError("is too short to search for", where=where, remedy="ask in words")
    return " ".join(text.split())


def make_plan(question: str, known_releases: Collection[str]) -> Plan:
    """Read a cleaned question; `known_releases` are those that the posts cover."""
    named = named_releases(question, known_releases)
    if _LATEST.search(question) and not named and known_releases:
        named = [max(known_releases, key=sort_key)]
    meant = _meant_releases(question, sorted(known_releases, key=sort_key))
    ordered = sorted(dict.fromkeys(meant or named), key=sort_key)
    prs = tuple(dict.fromkeys(f"#{a or b}" for a, b in _PR.findall(question)))
    found = (fold(a or b).strip() for a, b in _IDENTIFIER.findall(question))
    identifiers = tuple(dict.fromkeys(i for i in found if i not in ("pytorch",)))
    return Plan(
        question=question,
        lang=question_language(question),
        releases=tuple(r for r in ordered if r in known_releases),
        missing=tuple(r for r in ordered if r not in known_releases),
        identifiers=identifiers,
        prs=prs,
        kind=_kind(question, named),
        compares=bool(_COMPARES.search(question)),
        ranged=len(meant) > 2,
    )


def _kind(question: str, releases: Sequence[str]) -> str:
    rest = re.sub(r"[\W_]+", "", _VERSION.sub("", question))
    if releases and _SUMMARY.fullmatch(rest):
        return "summary"
    return next((kind for kind, pattern in KINDS.items() if pattern.search(question)), "what")


def question_language(question: str) -> str:
    """Any two Han characters make a question Chinese, however many API names it holds."""
    lang = detect(question)
    return "zh" if lang == "en" and len(_HAN.findall(question)) >= 2 else lang


def named_releases(question: str, known: Collection[str]) -> list[str]:
    """Releases named in the question, in its order, known or not.

    A number like 2.7 is a release unless another product stands before it (CUDA 12.8) or a unit behind
    it (2.7x); one that no post has counts only with the project's major version or name before it.
    """
    majors = {r.split(".")[0] for r in known}
    found = []
    for match in _VERSION.finditer(question):
        if match["before"] or match["after"]:
            continue
        release = ".".join(str(int(part)) for part in match["release"].split("."))
        before = question[: match.start("release")]
        if release in known or release.split(".")[0] in majors or _PROJECT_BEFORE.search(before):
            found.append(release)
    return found


def _meant_releases(question: str, known: Sequence[str]) -> list[str]:
    """Releases that are meant by way of others, oldest first; none where the question does not speak so."""

    def at(match: re.Match[str]) -> list[int]:
        return [known.index(r) for r in match.groups() if r in known]

    if (match := _BETWEEN.search(question)) and len(ends := sorted(at(match))) == 2:
        return list(known[ends[0] : ends[1] + 1])
    for pattern, step in ((_BEFORE, -1), (_AFTER, 1)):
        if (match := pattern.search(question)) and (found := at(match)) and 0 <= found[0] + step < len(known):
            return [known[found[0] + step]]
    if (match := _SINCE.search(question)) and (found := at(match)):
        return list(known[found[0] :])
    return list(known) if _EVERY.search(question) else []


def nearest_release(asked: str, known: Sequence[str]) -> str:
    """The known release closest to `asked` by number, the newer one where two are as near."""
    target = sort_key(asked)

    def distance(release: str) -> tuple[int, ...]:
        key = sort_key(release)
        return (*(abs(a - b) for a, b in zip(key, target, strict=False)), -key[-1])

    return min(known, key=distance)
