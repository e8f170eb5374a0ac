import pytest
from conftest import needs_posts, posts
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import UserError
from ingest.readers import read_document
from ingest.schema import Document, text_hash
from ingest.sections import find_sections
from ingest.settings import CORPUS, SplitSettings
from ingest.split import size, split_document
from ingest.structure import clean, normalise


def document(text):
    return Document(
        id="d.en", title="T", project="P", release="1.0", lang="en", url="", published="", text=text, sha256=text_hash(text)
    )  # fmt: skip


def check(doc, limit=400):
    passages = split_document(doc, SplitSettings(passage_units=limit))
    for p in passages:
        assert doc.text[p.start : p.end] == p.text
        assert p.text.strip() == p.text != ""
        assert size(p.text) <= limit
    assert len({p.id for p in passages}) == len(passages)
    covered = [False] * len(doc.text)
    for p in passages:
        for i in range(p.start, p.end):
            assert not covered[i], "passages overlap"
            covered[i] = True
    for section in find_sections(doc.text, doc.title):
        for start, end, _ in section.blocks:
            lost = [doc.text[i] for i in range(start, end) if not covered[i] and not doc.text[i].isspace()]
            assert not lost, f"text lost in {section.anchor}: {''.join(lost)[:80]}"
    return passages


@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in posts()] or [pytest.param(None, marks=needs_posts)])
def test_passages_of_every_real_post_keep_their_place_and_lose_nothing(path):
    assert check(read_document(path))


@pytest.mark.parametrize("path", sorted(CORPUS.rglob("*.md")), ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_passages_of_the_corpus_keep_their_place_and_lose_nothing(path):
    if not path.stem.isupper():
        assert check(read_document(path))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "# A", "## B {#b}", "text. More text。", "```", "```python", "# in code", "| a | b |", "|---|---|", "| 1 | 2 |", "- item",
                "", "  ", "> quote", "长" * 300, "word " * 120, "x" * 900, "~~~", "1. one", "`a. B` c", "Setext", "---", "===", "\t tab",
            ]
        )
        | st.text(max_size=60),
        max_size=30,
    ),
    st.sampled_from([60, 400]),
)  # fmt: skip
def test_any_text_is_split_without_losing_a_character(lines, limit):
    text = clean(normalise("\n".join(lines)))
    check(document(text), limit)


def test_a_long_table_repeats_its_header_and_cuts_between_rows():
    rows = "\n".join(f"| model-{i} | {i}% faster than before |" for i in range(40))
    passages = check(document(f"## T\n\n| Model | Gain |\n|---|---|\n{rows}\n"))
    assert len(passages) > 1
    for p in passages[1:]:
        assert p.header == "| Model | Gain |\n|---|---|"
        assert p.text.startswith("| model-")
        assert p.text.endswith("|")
        assert p.encoded_text().count("Model") == 1
    assert not passages[0].header


def test_code_stays_in_one_passage_where_it_fits():
    code = "```python\n# a comment. Not a heading\n\nx = torch.compile(f)\n```"
    passages = check(document(f"## S\n\nSee the code below. {'It is long. ' * 30}\n\n{code}\n"))
    assert any(code in p.text for p in passages)


def test_settings_outside_the_encoders_reach_are_refused():
    with pytest.raises(ValueError, match="512 tokens"):
        SplitSettings(passage_units=5000)


def test_a_document_whose_hash_is_wrong_is_refused():
    with pytest.raises(ValueError, match="sha256"):
        Document(id="d", title="", project="", release="", lang="en", url="", published="", text="a", sha256="b")


def test_user_errors_are_one_line():
    assert "\n" not in str(UserError("bad\nthing", where="a\x1b[31mb", remedy="c"))
