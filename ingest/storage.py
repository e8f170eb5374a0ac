"""Files that are whole or not there: everything is written beside its place, synced, then renamed.

A crash, a full disk or a kill at any point leaves what was there before.
"""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ingest.errors import UserError, from_os_error


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that readers see the old file or the new one, never a part.

    Raises UserError with the path and the remedy when the disk is full or may not be written.
    """
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
        temporary = None
        sync_folder(path.parent)
    except OSError as error:
        raise from_os_error(error, where=path, doing="write") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable (a no-op where folders cannot be opened)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def dump_json(value: Any) -> str:
    """One line of JSON, keys in the order given, Chinese as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def to_jsonl(records: Iterable[dict[str, Any]]) -> bytes:
    """Records as JSON lines, UTF-8."""
    return "".join(dump_json(record) + "\n" for record in records).encode("utf-8")


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON-lines file; UserError names the line that is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise from_os_error(error, where=path, doing="read") from error
    except UnicodeDecodeError as error:
        raise UserError("is not UTF-8", where=path, remedy="write it again") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise UserError("is not JSON", where=f"{path}:{number}", remedy="write the file again") from error
        if not isinstance(record, dict):
            raise UserError("is not a JSON object", where=f"{path}:{number}", remedy="write the file again")
        yield record
