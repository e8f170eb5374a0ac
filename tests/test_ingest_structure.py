import pytest
from conftest import POSTS, needs_posts

from ingest.readers import read_document
from ingest.sections import find_sections
from ingest.structure import clean, heading_text, normalise, slug


def headings(text):
    return [(s.level, s.path[-1] if s.path else "") for s in find_sections(text)]


def test_comments_in_code_are_no_headings():
    text = clean("## Real\n\n```python\n# not a heading\nx = 1\n```\n\n~~~\n## nor this\n~~~\n")
    assert headings(text) == [(2, "Real")]


def test_an_explicit_anchor_names_the_section_and_leaves_the_heading():
    (section,) = find_sections("## Fused Adagrad {#fused-adagrad}\n\nText.\n")
    assert (section.anchor, section.path) == ("fused-adagrad", ("Fused Adagrad",))


def test_equal_anchors_get_numbers():
    assert [s.anchor for s in find_sections("## A\n\nx\n\n## A\n\ny\n")] == ["a", "a-2"]


def test_kramdown_attributes_go_and_braces_in_code_stay():
    assert clean('![x](y.png){:width="100%"}\n{: .note}\n`{: keep}`').split() == ["![x](y.png)", "`{:", "keep}`"]


def test_html_tables_become_pipe_tables():
    html = "<table><tr><td><strong>A</strong></td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>"
    rows = [line.replace(" ", "") for line in clean(html).splitlines() if "--" not in line]
    assert "|**A**|B|" in rows
    assert "|1|2|" in rows


def test_layout_tags_go_and_type_parameters_stay():
    assert clean("<span style='x'>a</span> List<int> vector<std::string> <think>\n") == "a List<int> vector<std::string> <think>\n"


def test_invisible_characters_go_and_odd_spaces_become_plain():
    assert normalise("a\u200bb\u00a0c\r\nd\ufeff") == "ab c\nd"


def test_a_flattened_line_gets_its_structure_back():
    body = "这是一个很长的段落。" * 60
    flat = f"# 标题 来源：https://example.org/ ### 特性 - 第一项 - 第二项 下一段开始。 ### **性能** **更快的 eigh (`linalg.eigh`)** {body} ## **弃用** {body}"
    text = clean(flat)
    assert text.startswith("# 标题\n\n来源：https://example.org/\n")
    assert headings(text)[1:] == [(3, "特性"), (3, "性能"), (4, "更快的 eigh (linalg.eigh)"), (2, "弃用")]
    assert "\n- 第一项\n- 第二项\n" in text
    assert "\n\n下一段开始。" in text


def test_bare_short_lines_are_headings_only_where_there_are_none():
    text = "PyTorch 发布了新版本，带来许多新特性，下面一一介绍。\nFlashAttention-2\nFlashAttention-2 通过优化工作分区来提升速度，减少共享内存读写。\n"
    assert headings(clean(text))[-1] == (2, "FlashAttention-2")
    assert headings(clean("# Title\n\nAOT\n\nThis is a longer line that follows the short one.\n")) == [(1, "")]


@pytest.mark.parametrize(("raw", "shown"), [("**Bold** `code` {#a}", "Bold code"), ("[x](http://y) *z*", "x z"), ("a_b __c__", "a_b c")])
def test_headings_read_as_people_read_them(raw, shown):
    assert heading_text(raw) == shown


def test_a_slug_keeps_letters_of_any_script():
    assert slug("CUDA 上的 eigh (2.12)!") == "cuda-上的-eigh-2.12"


@needs_posts
def test_the_flattened_seed_post_is_unfolded():
    document = read_document(POSTS / "2.12-zh-0.txt")
    names = [s.path[-1] for s in find_sections(document.text, document.title) if s.path]
    for wanted in ("融合 Adagrad 优化器", "自定义操作中的 ProcessGroup 支持", "CUDA Graph 内核注释", "TorchScript 现已弃用"):
        assert wanted in names


@needs_posts
def test_the_seed_post_with_bare_headings_is_sectioned():
    document = read_document(POSTS / "2.2-zh-0.txt")
    names = [s.path[-1] for s in find_sections(document.text, document.title) if s.path]
    for wanted in ("FlashAttention-2", "AOTInductor", "TORCH_LOGS", "torch.distributed.device_mesh", "优化器的改进", "性能改进"):
        assert wanted in names
