"""From a file to a document: bytes, text, front matter, clean Markdown, language, release."""

import datetime
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ingest import language, releases, structure
from ingest.errors import UserError, from_os_error
from ingest.schema import Document, text_hash

SUFFIXES = (".md", ".markdown", ".txt")
MAX_BYTES = 10_000_000
MAX_FRONT_MATTER_CHARS = 20_000
_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEAD_URL = re.compile(r"https?://[^\s<>)\]\"'，。；）]*blog[^\s<>)\]\"'，。；）]*", re.IGNORECASE)
_HEAD_DATE = re.compile(r"\b(20\d\d)(?:-|年)(\d{1,2})(?:-|月)(\d{1,2})日?")
_TITLE = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_PROJECT = re.compile(r"\b(PyTorch|NumPy|JAX|TensorFlow|Gradio|vLLM)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file in a folder that is no post, and why."""

    path: Path
    reason: str


def find_posts(paths: list[Path]) -> tuple[list[Path], list[Skipped]]:
    """Return the post files under `paths` in name order, and the files passed over for their kind.

    In a folder, names that begin with a dot or an underscore (`_drafts`, as Jekyll has it) and pages about
    the folder (README.md, GLOSSARY.md: capitals) are no posts. A file named by itself is always one. UserError for a path that is not there, and for a
    folder without posts.
    """
    found: list[Path] = []
    skipped: list[Skipped] = []
    for path in paths:
        if not path.exists():
            raise UserError("no such file or folder", where=path, remedy="check the path")
        if not path.is_dir():
            found.append(path)
            continue
        inside: list[Path] = []
        for file in sorted(path.rglob("*")):
            if any(part.startswith((".", "_")) for part in file.relative_to(path).parts) or file.is_dir():
                continue
            if file.suffix.lower() not in SUFFIXES:
                skipped.append(Skipped(path=file, reason=f"not {', '.join(SUFFIXES)}"))
            elif not file.stem.isupper():
                inside.append(file)
        if not inside:
            raise UserError("holds no posts", where=path, remedy=f"put a post there ({', '.join(SUFFIXES)})")
        found += inside
    return list(dict.fromkeys(found)), skipped


def read_text(path: Path) -> str:
    """Return a file's text; UserError where it is missing, empty, too large, binary or not UTF-8."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UserError("is not a regular file", where=path, remedy="name a post's file or a folder of posts")
        if status.st_size > MAX_BYTES:
            size = f"{status.st_size / 1e6:.0f} MB"
            raise UserError(f"is {size}, more than {MAX_BYTES / 1e6:.0f} MB", where=path, remedy="split it, or take out what is no post")
        data = path.read_bytes()
    except OSError as error:
        raise from_os_error(error, where=path, doing="read") from error
    if b"\0" in data[:65536]:
        raise UserError("is a binary file", where=path, remedy="save the post as Markdown or plain text in UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"is not UTF-8 (byte {error.start})", where=path, remedy=f"convert it: iconv -f GB18030 -t UTF-8 {path.name}"
        ) from error
    if not text.strip():
        raise UserError("is empty", where=path, remedy="fill it or take it away")
    return text


def split_front_matter(text: str, path: Path) -> tuple[dict[str, Any], str]:
    """Return the YAML front matter (empty where there is none) and the rest of the text."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    if len(match[1]) > MAX_FRONT_MATTER_CHARS:
        raise UserError("front matter is too long", where=path, remedy=f"keep it under {MAX_FRONT_MATTER_CHARS} characters")
    try:
        # BaseLoader keeps every scalar a string: `release: 2.10` must not become the number 2.1.
        fields = yaml.load(match[1], Loader=yaml.BaseLoader)  # noqa: S506 (builds strings only)
    except (yaml.YAMLError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", 0) + 2
        raise UserError("front matter is not YAML", where=f"{path}:{line}", remedy="mend it or take it out") from error
    if fields is not None and not isinstance(fields, dict):
        # Two rules around a paragraph: a thematic break, not front matter.
        return {}, text
    return fields or {}, text[match.end() :]


def read_document(path: Path) -> Document:
    """Read one post. What its front matter does not state is detected; UserError names file and remedy."""
    fields, body = split_front_matter(structure.normalise(read_text(path)), path)

    def stated(*names: str) -> str:
        return next((fields[n].strip() for n in names if isinstance(fields.get(n), str) and fields[n].strip()), "")

    text = structure.clean(body)
    if not text.strip():
        raise UserError("holds no text", where=path, remedy="fill it or take it away")
    first_heading = _TITLE.search(text)
    title = stated("title") or (structure.heading_text(first_heading[1]) if first_heading else "")
    head = body[:3000]
    hint = language.named_in(path.name) or language.named_in(path.parent.name)
    lang = stated("language", "lang").lower().split("-")[0] or language.detect(text, default=hint or "en")
    release = stated("release", "version")
    if release and not releases.parse(release):
        raise UserError(f"release {release!r} is no version", where=path, remedy='write it as "2.12"')
    release = releases.parse(release) or releases.detect(title=title, head=head, path=path, text=text)
    project = stated("project") or next(iter(_PROJECT.findall(title + "\n" + head)), "")
    title = title or " ".join(part for part in (project, release) if part) or path.stem
    url = stated("url", "link") or _own_address(_HEAD_URL.findall(head), release)
    sources = fields.get("sources", [])
    return Document(
        id=document_id(project, release, lang, path),
        title=title,
        project=project,
        release=release,
        lang=lang,
        url=url if url.startswith(("http://", "https://")) else "",
        published=_date(stated("published", "date")) or _date_in(path.name, head),
        text=text,
        sha256=text_hash(text),
        sources=tuple(s for s in sources if isinstance(s, str)) if isinstance(sources, list) else (),
    )


def _own_address(addresses: list[str], release: str) -> str:
    """The first address that names the post's own release; a post links to its predecessors' too."""
    names = (release, release.replace(".", "-"))
    return next((a for a in addresses if release and any(re.search(rf"{re.escape(n)}(?!\d)", a) for n in names)), "")


def document_id(project: str, release: str, lang: str, path: Path) -> str:
    """Name a document "pytorch-2.12.zh"; by its file's name where project or release is not known."""
    name = f"{project.lower()}-{release}" if project and release else structure.slug(path.stem)
    return f"{name}.{lang}"


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return ""


def _date_in(name: str, head: str) -> str:
    for source in (name, head[:600]):
        match = _HEAD_DATE.search(source)
        if match:
            return _date(f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}")
    return ""
