"""The repository's own promises: imports go down only, dependencies import, commands in the READMEs exist."""

import ast
import importlib
import re
import subprocess
import tomllib

import pytest
from conftest import ROOT, run

ORDER = ["ingest", "index", "app", "eval"]
README = ["README.md", "README.zh-CN.md"]


@pytest.mark.parametrize("folder", ORDER)
def test_imports_go_down_only(folder):
    allowed = ORDER[: ORDER.index(folder) + 1]
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                top = name.split(".")[0]
                assert top not in ORDER or top in allowed, f"{path.name} imports {name}"
                assert name != "eval", f"{path.name}: a bare `import eval` hides the builtin"


def requirements():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [re.match(r"[A-Za-z0-9_-]+", line)[0] for line in project["dependencies"]]


MODULES = {"faiss-cpu": "faiss", "pyyaml": "yaml", "markdown-it-py": "markdown_it", "scikit-learn": "sklearn"}


@pytest.mark.parametrize("name", requirements())
def test_every_direct_dependency_imports(name):
    importlib.import_module(MODULES.get(name, name.replace("-", "_")))


def test_every_direct_dependency_is_pinned_in_the_constraints():
    pinned = {line.split("==")[0].lower().replace("_", "-") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    dev = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"]
    for name in [*requirements(), *(re.match(r"[A-Za-z0-9_-]+", d)[0] for d in dev)]:
        assert name.lower().replace("_", "-") in pinned, name
    assert "torch==2.13.0" in (ROOT / "constraints.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def helps():
    return {m: run("-m", m, "--help").stdout for m in ("app.ask", "app", "ingest", "index", "eval")}


@pytest.mark.parametrize("name", README)
def test_every_command_and_flag_in_the_readme_exists(name, helps):
    text = (ROOT / name).read_text()
    commands = re.findall(r"python -m ([\w.]+)([^\n`#|]*)", text)
    assert commands
    for module, rest in commands:
        assert module in helps, module
        for flag in re.findall(r"(?<!\S)--[\w-]+", rest):
            assert flag in helps[module], f"{name}: python -m {module} {flag}"
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for target in re.findall(r"(?:^    |`)make ([a-z]+)", text, re.MULTILINE):
        assert target in targets, f"{name}: make {target}"


def test_every_flag_of_ask_is_in_both_readmes(helps):
    for name in README:
        text = (ROOT / name).read_text()
        for flag in re.findall(r"^\s+(--[\w-]+)", helps["app.ask"], re.MULTILINE):
            assert flag in text, f"{name} does not mention {flag}"


def test_both_readmes_are_equals():
    first, second = ((ROOT / name).read_text() for name in README)
    for pattern in (r"^#+ ", r"^```", r"^\|", r"^!\["):
        counts = [len(re.findall(pattern, text, re.MULTILINE)) for text in (first, second)]
        assert counts[0] == counts[1], f"{pattern}: {counts}"


def test_no_path_of_a_machine_is_tracked():
    tracked = subprocess.run(
        ["git", "grep", "-nE", r"(^|[^A-Za-z.])/(work|root|home)/[a-z]", "--", "."], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tracked.stdout == ""
