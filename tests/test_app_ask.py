import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT, run

HEAVY = ("torch", "transformers", "sentence_transformers", "gradio", "langchain_text_splitters", "bm25s", "scipy", "yaml", "markdownify")


def ask(index, *args, **kw):
    return run("-m", "app.ask", "--index", index, *args, **kw)


@pytest.mark.parametrize("question", ["How much faster is batched eigh in PyTorch 2.12?", "2.12 的 eigh 快了多少？"])
def test_a_question_is_answered_in_its_language_with_sources(index_folder, question):
    result = ask(index_folder, question)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "100" in result.stdout
    assert "[1]" in result.stdout
    assert ("来源" if "快" in question else "Sources") in result.stdout
    assert "https://pytorch.org/blog/pytorch-2-12-release-blog/" in result.stdout


def test_json_is_one_line_of_the_contract(index_folder, document_texts):
    result = ask(index_folder, "--json", "Who wrote the front end of fused Adagrad?")
    (line,) = result.stdout.splitlines()
    answer = json.loads(line)
    assert list(answer) == [
        "question", "standalone", "lang", "answered", "confidence", "answer", "computed", "generator", "citations", "retrieved", "timings_ms",
    ]  # fmt: skip
    assert answer["answered"] is True
    assert "Jane Xu" in answer["answer"]
    assert 0 <= answer["confidence"] <= 1
    assert len(answer["retrieved"]) == 5
    for number, c in enumerate(answer["citations"], 1):
        assert c["n"] == number
        assert f"[{number}]" in answer["answer"]
        assert document_texts[c["passage_id"].split("#")[0]][c["start"] : c["end"]] == c["quote"]
        assert c["quote"] in c["text"]
    assert set(answer["timings_ms"]) == {"load", "encode", "search", "answer"}


def test_what_the_posts_do_not_tell_is_said_without_citations(index_folder):
    answer = json.loads(ask(index_folder, "--json", "今天上海的天气怎么样？").stdout)
    assert (answer["answered"], answer["citations"]) == (False, [])
    assert answer["answer"] == "这些发布说明里没有提到。"
    assert answer["retrieved"]


def test_a_release_that_no_post_covers_is_named_with_the_nearest(index_folder):
    answer = json.loads(ask(index_folder, "--json", "What is new in PyTorch 2.30?").stdout)
    assert not answer["answered"]
    assert "2.30" in answer["answer"]
    assert "2.12" in answer["answer"]


@pytest.mark.parametrize(("question", "lang"), [("What are the main features of 2.12?", "en"), ("PyTorch 2.2 带来了什么？", "zh")])
def test_what_a_release_brings_is_quoted_from_its_overview(index_folder, question, lang):
    answer = json.loads(ask(index_folder, "--json", question).stdout)
    assert answer["answered"]
    assert len(answer["citations"]) == 3
    assert {(c["lang"], c["passage_id"].split("#")[1].split("/")[0]) for c in answer["citations"]} == {(lang, "overview")}


def test_filters_hold(index_folder):
    answer = json.loads(ask(index_folder, "--json", "--lang", "en", "--release", "2.2", "--top-k", "3", "TORCH_LOGS 有什么用？").stdout)
    assert {(r["lang"], r["release"]) for r in answer["retrieved"]} == {("en", "2.2")}
    assert len(answer["retrieved"]) == 3


def test_a_batch_gives_a_line_for_each_line_in_order(index_folder):
    questions = ["What is AOTInductor?", "", "2.2 有多少位贡献者？", "x"]
    result = ask(index_folder, "--batch", "-", input="\n".join(questions) + "\n")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [r["question"] for r in records] == questions
    assert "is empty" in records[1]["error"]
    assert "too short" in records[3]["error"]
    assert "521" in records[2]["answer"]
    assert result.returncode == 1
    assert result.stderr == "error: 2 of the lines could not be read as questions\n"


def test_a_batch_file_may_have_windows_line_ends(index_folder, tmp_path):
    path = tmp_path / "q.txt"
    path.write_bytes("\ufeffWhat is AOTInductor?\r\n2.2 有多少位贡献者？\r\n".encode())
    result = ask(index_folder, "--batch", path)
    assert result.returncode == 0
    assert [json.loads(line)["question"] for line in result.stdout.splitlines()] == ["What is AOTInductor?", "2.2 有多少位贡献者？"]


@pytest.mark.parametrize(
    ("args", "code", "what"),
    [
        (["", "--index", "."], 1, "question: is empty"),
        (["?"], 1, "question: holds no letters"),
        (["a"], 1, "question: is too short"),
        (["x" * 10_000], 1, "question: has 10,000 characters"),
        (["what\x07"], 1, "question: holds a control character"),
        (["What is new?", "--index", "nowhere"], 1, "nowhere: no index is here"),
        (["What is new?", "--release", "9.9"], 1, "--release: no post about release 9.9"),
        (["--batch", "nowhere.txt"], 1, "nowhere.txt: cannot read"),
        (["--batch", "/"], 1, "cannot read"),
        ([], 2, "give a question, or --batch FILE"),
        (["What?", "--top-k", "0"], 2, "top_k must be 1 to 50"),
        (["What?", "--lang", "fr"], 2, "invalid choice"),
    ],
)
def test_bad_input_gives_one_line_and_its_exit_code(args, code, what):
    result = run("-m", "app.ask", *args)
    assert result.returncode == code
    assert what in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.count("\n") == 1


def test_undecodable_arguments_are_refused_not_crashed(index_folder):
    result = subprocess.run(
        [sys.executable, "-m", "app.ask", b"what \xff\xfe is"], cwd=ROOT, capture_output=True, check=False, env={**os.environ, "PYTHONUTF8": "1"}
    )  # fmt: skip
    assert result.returncode == 1
    assert result.stderr.startswith(b"error: question: holds a control character")


def test_a_reader_that_goes_away_leaves_no_traceback(index_folder):
    command = f'"{sys.executable}" -m app.ask --index "{index_folder}" "What is AOTInductor?" | true'
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("argv", [["--help"], ["What is AOTInductor?"]])
def test_the_cold_path_loads_nothing_heavy(index_folder, argv):
    code = (
        "import sys, runpy\n"
        f"sys.argv = ['app.ask', *{argv!r}]\n"
        "try:\n    runpy.run_module('app.ask', run_name='__main__')\n"
        "except SystemExit:\n    pass\n"
        "print('MODULES', *sorted(m.split('.')[0] for m in sys.modules))\n"
    )
    result = run("-c", code)
    loaded = set(result.stdout.splitlines()[-1].split()[1:])
    assert "argparse" in loaded
    assert not loaded & set(HEAVY)


def test_the_default_index_is_built_when_absent(tmp_path):
    """A checkout without var/: the question waits for the build, whose progress goes to stderr."""
    for name in ("ingest", "index", "app"):
        (tmp_path / name).symlink_to(ROOT / name)
    post = tmp_path / "corpus" / "p.md"
    post.parent.mkdir()
    post.write_text("# PyTorch 2.9\n\n## Speed\n\nBatched eigh is 100 times faster on CUDA in PyTorch 2.9.\n")
    code = (
        "import sys; from pathlib import Path; import ingest.settings, index.settings\n"
        f"ingest.settings.CORPUS = Path({str(post.parent)!r}); index.settings.INDEX = Path({str(tmp_path / 'var' / 'index')!r})\n"
        "from app.ask import main; sys.exit(main(['How much faster is eigh on CUDA?']))"
    )
    result = run("-c", code)
    assert result.returncode == 0, result.stderr
    assert "no index yet: building it once" in result.stderr
    assert (tmp_path / "var" / "index" / "CURRENT").exists()
