import pytest

from ingest.sentences import sentence_spans


def cut(text):
    return [text[a:b] for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PyTorch 2.12 is out. It has torch.compile.", ["PyTorch 2.12 is out.", "It has torch.compile."]),
        ("速度提升 100 倍。由 Jane Xu 完成！真的吗？是；", ["速度提升 100 倍。", "由 Jane Xu 完成！", "真的吗？", "是；"]),
        ("默认值变了。`weights_only` 更安全。", ["默认值变了。", "`weights_only` 更安全。"]),
        ("他说：“完成了。”然后离开。", ["他说：“完成了。”", "然后离开。"]),
        ("Use e.g. CUDA 12.8 vs. Triton. Done.", ["Use e.g. CUDA 12.8 vs. Triton.", "Done."]),
        ("See `a. B` now. End", ["See `a. B` now.", "End"]),
        ("PR #174619. `eigh` is faster.", ["PR #174619.", "`eigh` is faster."]),
        ("One line\nwraps here. Next one.", ["One line\nwraps here.", "Next one."]),
        ("- first item\n- second. Third\n", ["first item", "second.", "Third"]),
        ("> quoted text\n> goes on", ["quoted text\n> goes on"]),
        ("| A | B |\n|---|---|\n| 1. X | 2 |", ["| A | B |", "| 1. X | 2 |"]),
        ("", []),
        ("。。。", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert cut(text) == expected


def test_a_fence_is_one_piece_even_with_full_stops_inside():
    text = "Before. After\n\n```python\n# Not. A sentence.\nx = 1\n```\n\nLast."
    assert cut(text) == ["Before.", "After", "```python\n# Not. A sentence.\nx = 1\n```", "Last."]


def test_an_unclosed_fence_runs_to_the_end():
    assert cut("A.\n\n```\nx. Y")[-1] == "```\nx. Y"
