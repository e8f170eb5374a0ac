"""The project's posts: both languages hold the same sections and the same facts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import POSTS, ROOT, needs_posts

from ingest.readers import read_document, read_text, split_front_matter
from ingest.sections import find_sections
from ingest.settings import CORPUS

RELEASES = sorted(p.name for p in CORPUS.glob("pytorch-*"))
FIELDS = ("title", "project", "release", "language", "published", "url", "sources")


def sections(release, lang):
    document = read_document(CORPUS / release / f"{lang}.md")
    found = find_sections(document.text, document.title)
    return [(s.anchor, s.level, document.text[s.start : s.end], s.path[-1]) for s in found]


def facts(text):
    """What must be equal in both languages: code, addresses, PR numbers, figures."""
    code = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", " ", text, flags=re.DOTALL)))
    plain = re.sub(r"```.*?```|`[^`\n]*`", " ", text, flags=re.DOTALL)
    addresses = {a.rstrip(".,;，。；、") for a in re.findall(r"https?://[^\s<>()（），。；、]+", plain)}
    plain = re.sub(r"https?://[^\s<>()（），。；、]+", " ", plain)
    numbers = {n.rstrip(",") for n in re.findall(r"(?<![\w.\-])#?\d[\d,]*(?:\.\d+)*", plain)}
    return code | addresses | numbers


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_front_matter_is_whole(release, lang):
    path = CORPUS / release / f"{lang}.md"
    fields, _ = split_front_matter(read_text(path), path)
    assert [f for f in FIELDS if not fields.get(f)] == []
    assert fields["language"] == lang
    assert Path(release).name == f"{fields['project'].lower()}-{fields['release']}"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", fields["published"])
    assert all(address.startswith("https://") for address in [fields["url"], *fields["sources"]])


@pytest.mark.parametrize("release", RELEASES)
def test_both_languages_have_the_same_sections_in_the_same_order(release):
    en, zh = ([(anchor, level) for anchor, level, *_ in sections(release, lang)] for lang in ("en", "zh"))
    assert en == zh
    assert len({anchor for anchor, _ in en}) == len(en)
    for lang in ("en", "zh"):
        raw = (CORPUS / release / f"{lang}.md").read_text()
        headings = re.findall(r"^#{1,6} .*$", re.sub(r"```.*?```", "", raw, flags=re.DOTALL), re.MULTILINE)
        assert all(re.search(r"\{#[a-z0-9-]+\}$", h) for h in headings), "a heading without an explicit anchor"


@pytest.mark.parametrize("release", RELEASES)
def test_both_languages_state_the_same_facts_section_by_section(release):
    for en, zh in zip(sections(release, "en"), sections(release, "zh"), strict=True):
        assert facts(en[2] + en[3]) == facts(zh[2] + zh[3]), f"{release}#{en[0]}"


@needs_posts
@pytest.mark.parametrize("release", RELEASES)
def test_every_pr_number_stands_in_a_source(release):
    sources = " ".join(p.read_text(encoding="utf-8") for p in POSTS.iterdir() if p.suffix in (".md", ".txt"))
    for lang in ("en", "zh"):
        for number in re.findall(r"#(\d{4,6})\b", (CORPUS / release / f"{lang}.md").read_text()):
            assert number in sources, f"{release}/{lang}: #{number}"


def prose(text):
    """A text without code, addresses, days (2024-04-24 for April 24, 2024), names like AVX-512 and counts of PRs."""
    return re.sub(
        r"https?://\S+|\b[A-Z]{2,}-\d+\b|\b\d+ PRs\b|\b\d{4}-\d\d-\d\d\b", " ", re.sub(r"```.*?```|`[^`\n]*`", " ", text, flags=re.DOTALL)
    )


def figures(text):
    """Numbers as they are written, thousands commas aside; without small ones, which a post may count itself."""
    found = {number.replace(",", "") for number in re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)*", text)}
    return {number for number in found if "." in number or int(number) > 12}


@needs_posts
@pytest.mark.parametrize("release", RELEASES)
def test_every_figure_stands_in_a_source_of_its_release(release):
    """Of the post's own release, or of one that the section names; a value of the example code may be told in words."""
    texts = {p.name: p.read_text(encoding="utf-8") for p in POSTS.iterdir() if p.suffix in (".md", ".txt")}
    known = {r: figures(" ".join(text for name, text in texts.items() if name.startswith(f"{r}-"))) for r in SOURCED}
    facts_file = dict(re.findall(r"^##+ .*?(2\.\d+).*?\n(.*?)(?=^##? |\Z)", texts["FACTS.md"], re.MULTILINE | re.DOTALL))
    known = {r: found | figures(facts_file.get(r, "")) | ({r} if r in SOURCED else set()) for r, found in known.items()}
    for anchor, _, body, heading in sections(release, "en"):
        named = {release.removeprefix("pytorch-"), *re.findall(r"(?<![\d.])2\.\d+", prose(body + heading))} & set(SOURCED)
        found = figures(prose(body + heading)) - {*SOURCED, *(f"{r}.0" for r in SOURCED)}
        found -= figures(" ".join(re.findall(r"```.*?```", body, flags=re.DOTALL)))
        assert found <= set().union(*(known[r] for r in named)), f"{release}#{anchor}"


SOURCED = [f"2.{n}" for n in range(13)]


@needs_posts
def test_no_run_of_words_is_copied_from_a_source():
    tool = ROOT.parent / "shared" / "tools" / "overlap.py"
    if not tool.exists():
        pytest.skip("../shared/tools/overlap.py is not here")
    found = subprocess.run([sys.executable, str(tool), str(CORPUS)], capture_output=True, text=True, check=False)
    assert found.stdout == ""


def never():
    """Renderings that the glossary forbids."""
    rows = [line.split("|")[1:-1] for line in (CORPUS / "GLOSSARY.md").read_text().splitlines() if line.startswith("| ")]
    return [word.strip() for row in rows[1:] for word in row[2].split(",") if word.strip()]


@pytest.mark.parametrize("release", RELEASES)
def test_chinese_posts_use_the_established_terms(release):
    text = (CORPUS / release / "zh.md").read_text()
    assert [word for word in never() if word in text] == []
    assert len(never()) > 10
