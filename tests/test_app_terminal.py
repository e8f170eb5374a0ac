from dataclasses import replace

from app.answer import Answer, Citation, Retrieved
from app.messages import WORDS
from app.render import answer_parts, as_typed, cards
from app.terminal import render

HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) `code` $x$ List<int> | \x1b[31mred\u202e"


def answer(quote="Batched eigh is 100 times faster.", lang="en", url="https://example.org/p"):
    citation = Citation(
        n=1, passage_id="pytorch-2.12.en#a/0", document="PyTorch 2.12", release="2.12", lang=lang, section="Performance › eigh", url=url,
        quote=quote, text=f"Before. {quote} After.", start=8, end=8 + len(quote), score=0.9,
    )  # fmt: skip
    return Answer(question="q", lang="en", answered=True, confidence=0.9, answer=f"{quote} [1]", citations=(citation,))


def test_an_answer_shows_post_section_release_quote_and_address():
    text = render(answer())
    for part in (
        "eigh is 100 times faster. [1]",
        "Sources",
        "[1] PyTorch 2.12 › Performance › eigh (2.12)",
        "“Batched eigh",
        "https://example.org/p",
    ):
        assert part in text
    assert "\x1b" not in text


def test_asked_words_are_marked_only_in_colour():
    assert "\x1b[4meigh\x1b[0m" in render(answer(), colour=True, marked=("eigh",))
    assert "\x1b" not in render(answer(), colour=False, marked=("eigh",))


def test_the_asked_fact_is_bold_and_a_follow_up_says_how_it_was_understood():
    given = answer()
    given = replace(given, standalone="How fast is eigh?", computed="1 > 0.", citations=(replace(given.citations[0], fact="100 times"),))
    text = render(given, colour=True, marked=("eigh", "times"))
    assert "Understood as: How fast is eigh?" in text
    assert "\x1b[1m100 times\x1b[0m" in text
    assert "1 > 0." in text
    shown = "".join(answer_parts(given, 0))
    assert "<strong>100 times</strong>" in shown
    assert as_typed("Understood as: How fast is eigh?") in shown
    assert as_typed("1 > 0.") in shown


def test_a_quote_in_another_language_says_so():
    assert "quoted in Chinese" in render(answer("批处理快 100 倍。", lang="zh"))


def test_no_escape_sequence_of_a_post_reaches_the_terminal():
    text = render(answer(HOSTILE))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "List<int>" in text


def test_a_refusal_has_no_sources_but_names_the_nearest():
    near = Retrieved(passage_id="p", document="D", release="2.2", lang="en", section="S", url="", text="t", score=0.1)
    text = render(Answer(question="q", lang="en", answered=False, confidence=0.1, answer="The posts do not tell.", retrieved=(near,)))
    assert "Sources" not in text
    assert "Nearest passages\n-   D › S" in text


def test_long_chinese_lines_are_wrapped_by_their_width():
    lines = render(answer("这是一个很长的句子" * 20 + "。"), width=60).splitlines()
    wide = [line for line in lines if "很长" in line]
    assert len(wide) > 6
    assert all(sum(2 if c > "\u2e80" else 1 for c in line) <= 62 for line in wide)


def test_nothing_of_a_post_or_question_becomes_markup():
    for html in (as_typed(HOSTILE), cards(answer(HOSTILE, url="javascript:alert(1)"), 0)):
        assert "<script" not in html
        assert "javascript:alert(1)</a>" not in html
        assert 'href="javascript' not in html
    assert "](javascript" not in "".join(answer_parts(answer(HOSTILE), 0))


def test_a_citation_links_to_its_own_turns_card():
    assert 'id="turn-3-source-1"' in cards(answer(), 3)
    assert "(#turn-3-source-1)" in answer_parts(answer(), 3)[0]
    assert "<mark>Batched eigh is 100 times faster.</mark>" in cards(answer(), 3)


def test_both_languages_have_the_same_words():
    assert set(WORDS["en"]) == set(WORDS["zh"])
    for key in WORDS["en"]:
        fields = [{p for p in ("{asked}", "{nearest}", "{name}") if p in WORDS[lang][key]} for lang in WORDS]
        assert fields[0] == fields[1], key
