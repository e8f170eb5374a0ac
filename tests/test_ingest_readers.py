import os
import subprocess
from pathlib import Path

import pytest
from conftest import POSTS, needs_posts, posts, run

from ingest.errors import UserError
from ingest.language import detect, named_in
from ingest.readers import find_posts, read_document
from ingest.releases import parse, sort_key

POST = "# PyTorch 2.9 Release\n\nWe announce PyTorch 2.9. It has a thing.\n"


def write(path, data):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("empty.md", b"", "is empty"),
        ("blank.md", b" \n\t\n", "is empty"),
        ("binary.md", b"\x89PNG\r\n\0\0data", "is a binary file"),
        ("latin.md", "发布说明".encode("gb18030"), "is not UTF-8"),
        ("yaml.md", "---\ntitle: [unclosed\n---\ntext\n", "front matter is not YAML"),
        ("release.md", "---\nrelease: newest\n---\ntext\n", "is no version"),
        ("only.md", "---\ntitle: x\n---\n\n", "holds no text"),
    ],
)
def test_a_file_that_cannot_be_read_gives_one_line(tmp_path, name, data, what):
    path = write(tmp_path / name, data)
    with pytest.raises(UserError, match=what) as caught:
        read_document(path)
    assert name in str(caught.value)
    assert caught.value.remedy


def test_a_50_mb_file_is_refused_without_being_read(tmp_path):
    path = tmp_path / "big.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    with pytest.raises(UserError, match=r"is 50 MB, more than 10 MB"):
        read_document(path)


def test_a_folder_and_a_pipe_are_no_post(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    for path in (tmp_path, tmp_path / "pipe.md"):
        with pytest.raises(UserError, match="is not a regular file"):
            read_document(path)


def test_drafts_hidden_files_and_pages_about_the_folder_are_no_posts(tmp_path):
    for name in ("a.md", "README.md", "_drafts/b.md", ".git/c.md", "d.pdf"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(POST)
    files, skipped = find_posts([tmp_path])
    assert [f.name for f in files] == ["a.md"]
    assert {s.path.name for s in skipped} == {"d.pdf"}


@pytest.mark.parametrize("bad", ["missing", "nothing", "binary"])
def test_the_command_prints_one_line_and_changes_nothing(tmp_path, bad):
    out = tmp_path / "out"
    good = write(tmp_path / "good.md", POST)
    assert run("-m", "ingest", good, "--out", out).returncode == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    target = tmp_path / bad
    if bad == "nothing":
        target.mkdir()
    elif bad == "binary":
        target = write(tmp_path / "b.md", b"a\0b")
    result = run("-m", "ingest", good, target, "--out", out)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"error: {target}: ")
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_a_folder_that_may_not_be_written_gives_one_line(tmp_path):
    out = tmp_path / "file"
    out.write_text("in the way")
    result = run("-m", "ingest", write(tmp_path / "good.md", POST), "--out", out / "var")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "cannot write" in result.stderr
    assert out.read_text() == "in the way"


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 KiB; needs root."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a small tmpfs needs root: run as root to try a full disk")
    yield folder
    subprocess.run(["umount", folder], check=False)


def test_a_full_disk_gives_one_line_and_keeps_what_was_there(tmp_path, small_disk):
    post = write(tmp_path / "good.md", POST)
    assert run("-m", "ingest", post, "--out", small_disk).returncode == 0
    before = {p.name: p.read_bytes() for p in small_disk.iterdir()}
    large = write(tmp_path / "large.md", "# PyTorch 2.9\n\n" + "A sentence about a release. " * 8000)
    result = run("-m", "ingest", large, "--out", small_disk)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert "No space left" in result.stderr
    assert "free some space" in result.stderr
    assert {p.name: p.read_bytes() for p in small_disk.iterdir()} == before


def test_front_matter_states_and_text_is_detected(tmp_path):
    stated = read_document(
        write(tmp_path / "a.md", '---\ntitle: T\nproject: NumPy\nrelease: 2.10\nlanguage: en\npublished: 2026-01-02\nurl: https://a.b/c\n---\n\n发布说明。\n')
    )  # fmt: skip
    assert (stated.id, stated.release, stated.lang, stated.published, stated.url) == (
        "numpy-2.10.en",
        "2.10",
        "en",
        "2026-01-02",
        "https://a.b/c",
    )
    found = read_document(write(tmp_path / "b.md", POST))
    assert (found.id, found.title, found.release, found.lang) == ("pytorch-2.9.en", "PyTorch 2.9 Release", "2.9", "en")


def test_a_rule_around_a_paragraph_is_no_front_matter(tmp_path):
    assert "Just a line" in read_document(write(tmp_path / "a.md", "---\nJust a line\n---\n\nMore.\n")).text


@needs_posts
@pytest.mark.parametrize("path", [pytest.param(p, id=p.name) for p in posts()])
def test_every_real_post_is_placed_by_its_own_text(path, tmp_path):
    release, lang = path.name.split("-")[:2]
    document = read_document(path)
    assert (document.release, document.lang, document.project) == (release, lang, "PyTorch")
    anonymous = read_document(write(tmp_path / f"post{path.suffix}", path.read_bytes()))
    if path.name not in ("2.6-zh-0.md",):
        assert anonymous.release == release


@needs_posts
def test_all_34_posts_go_in_at_once_and_twice_alike(tmp_path):
    outs = []
    for name in ("one", "two"):
        result = run("-m", "ingest", POSTS, "--out", tmp_path / name)
        assert result.returncode == 0, result.stderr
        assert len(result.stdout.splitlines()) == 34
        outs.append([(tmp_path / name / f).read_bytes() for f in ("documents.jsonl", "passages.jsonl")])
    assert outs[0] == outs[1]


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("PyTorch 2.12 发布了 torch.compile 的新特性", "zh"),
        ("What is new in torch.compile?", "en"),
        ("PyTorch 2.12 のリリースについて説明します", "ja"),
        ("파이토치 2.12 릴리스에는 새로운 기능이 있습니다", "ko"),
        ("La version 2.12 est disponible dans les dépôts pour tous et avec des nouveautés", "fr"),
        ("12345", "en"),
    ],
)
def test_languages_are_told_apart(text, lang):
    assert detect(text) == lang


@pytest.mark.parametrize(
    ("name", "lang"), [("zh.md", "zh"), ("2.2-zh-0.txt", "zh"), ("post.zh-CN.md", "zh"), ("frozen.md", ""), ("a-en-1.md", "en")]
)
def test_file_names_state_languages(name, lang):
    assert named_in(name) == lang


def test_releases_parse_and_order_by_number():
    assert [parse(x) for x in ("v2.12.1", "2.2", "2.13.0rc1", "next", "")] == ["2.12", "2.2", "2.13", "", ""]
    assert sorted(["2.12", "2.2", "1.13", "2.10"], key=sort_key) == ["1.13", "2.2", "2.10", "2.12"]
    assert Path("x").name == "x"
