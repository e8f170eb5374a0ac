"""A snapshot: one immutable folder that holds all a question needs, and the pointer to the newest one.

    var/index/CURRENT                the name of the generation that readers open
    var/index/GENERATION/            manifest.json, passages.jsonl, vectors.faiss, sentences.npy,
                                     sentence_spans.npy, means.npz, encoded.npz, bm25/

A build writes a hidden folder, syncs it, renames it, then swaps CURRENT. Whatever stops it, the old
generation goes on serving.
"""

import datetime
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from index import centring, dense, lexical
from index.encoder import Encoder
from index.settings import FORMAT_VERSION, BuildSettings
from ingest.errors import UserError, from_os_error
from ingest.progress import Tell, silent
from ingest.schema import Passage
from ingest.sentences import sentence_spans
from ingest.storage import dump_json, read_jsonl, sync_folder, to_jsonl, write_atomic

Float32 = NDArray[np.float32]

REBUILD = "run: python -m index"
CURRENT = "CURRENT"
MANIFEST = "manifest.json"
_PRIORS = Path(__file__).parent / "priors.json"
QUESTION_LIKE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a reader must agree on with a snapshot before it searches there."""

    format_version: int
    model_id: str
    revision: str
    dimension: int
    prompts: dict[str, str]
    passage_units: int
    corpus_sha256: str
    documents: int
    passages: int
    sentences: int
    langs: list[str]
    projects: list[str]
    releases: list[str]
    created: str
    files: dict[str, int]

    @classmethod
    def read(cls, folder: Path) -> Self:
        path = folder / MANIFEST
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise UserError("no index is here", where=folder, remedy=f"{REBUILD} (or name another folder with --index)") from error
        except OSError as error:
            raise from_os_error(error, where=path, doing="read") from error
        except ValueError as error:
            raise UserError("is not a manifest", where=path, remedy=REBUILD) from error
        version = record.get("format_version") if isinstance(record, dict) else None
        if version != FORMAT_VERSION:
            raise UserError(f"index has format {version}, this program reads {FORMAT_VERSION}", where=folder, remedy=REBUILD)
        try:
            return cls(**record)
        except TypeError as error:
            raise UserError("manifest lacks fields or has unknown ones", where=path, remedy=REBUILD) from error


class Snapshot:
    """An opened generation. Rows of all arrays follow the order of `passages`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Manifest.read(folder)
        for name, size in self.manifest.files.items():
            path = folder / name
            found = path.stat().st_size if path.exists() else None
            if found != size:
                what = "is missing" if found is None else f"has {found} bytes, not {size}"
                raise UserError(f"{what}: the index is not whole", where=path, remedy=REBUILD)
        try:
            self.passages = [Passage.from_dict(record) for record in read_jsonl(folder / "passages.jsonl")]
            self.dense = dense.DenseIndex(folder / "vectors.faiss")
            self.sentences: NDArray[np.float16] = np.load(folder / "sentences.npy", mmap_mode="r", allow_pickle=False)
            spans = np.load(folder / "sentence_spans.npy", allow_pickle=False)
            with np.load(folder / "means.npz", allow_pickle=False) as arrays:
                self.question_means = {name.removeprefix("question_"): arrays[name] for name in arrays if name.startswith("question_")}
            self.lexical = lexical.LexicalIndex.load(folder / "bm25")
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:120]
            raise UserError(f"index cannot be read: {reason}", where=folder, remedy=REBUILD) from error
        if self.dense.dimension != self.manifest.dimension or self.dense.count != len(self.passages):
            raise UserError(
                f"vectors are {self.dense.count} x {self.dense.dimension}, the manifest says {len(self.passages)} x {self.manifest.dimension}",
                where=folder,
                remedy=REBUILD,
            )
        self.row_of_key = {dense.passage_key(p.id): row for row, p in enumerate(self.passages)}
        self.row_of_id = {p.id: row for row, p in enumerate(self.passages)}
        self.sentence_starts = np.searchsorted(spans[:, 0], np.arange(len(self.passages) + 1))
        self.spans: NDArray[np.int32] = spans

    def sentence_rows(self, row: int) -> range:
        """Rows of `sentences` that belong to the passage at `row`."""
        return range(int(self.sentence_starts[row]), int(self.sentence_starts[row + 1]))

    def sentence_span(self, sentence_row: int) -> tuple[int, int]:
        """(start, end) of a sentence within its passage's text."""
        _, start, end = self.spans[sentence_row].tolist()
        return start, end


def resolve(index: Path) -> Path:
    """Return the generation folder to open: `index` itself, or the one its CURRENT names."""
    pointer = index / CURRENT
    if (index / MANIFEST).exists() or not pointer.exists():
        return index
    try:
        name = pointer.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("cannot be read", where=pointer, remedy=REBUILD) from error
    if not name or Path(name).name != name or not (index / name).is_dir():
        raise UserError(f"names {name!r}, which is not there", where=pointer, remedy=REBUILD)
    return index / name


def exists(index: Path) -> bool:
    """Whether an index was ever built at `index`."""
    return (index / CURRENT).exists() or (index / MANIFEST).exists()


def build(passages: Sequence[Passage], encoder: Encoder, index: Path, settings: BuildSettings, tell: Tell = silent) -> Path:
    """Encode `passages` and publish them as the newest generation under `index`; return its folder.

    Texts that the generation before encoded with the same model are not encoded again.
    UserError where the disk is full or may not be written; what was there goes on serving.
    """
    if not passages:
        raise UserError("no passages to index", remedy="name a folder with posts")
    ordered = sorted(passages, key=lambda p: p.id)
    corpus = to_jsonl(p.to_dict() for p in ordered)
    corpus_hash = sha256(corpus).hexdigest()
    try:
        index.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=index))
    except OSError as error:
        raise from_os_error(error, where=index, doing="build the index") from error
    try:
        _write_arrays(ordered, encoder, building, _Cache.of(index, encoder), tell)
        (building / "passages.jsonl").write_bytes(corpus)
        files = {str(p.relative_to(building)): p.stat().st_size for p in sorted(building.rglob("*")) if p.is_file()}
        manifest = Manifest(
            format_version=FORMAT_VERSION,
            model_id=encoder.model_id,
            revision=encoder.revision,
            dimension=encoder.dimension,
            prompts=encoder.prompts,
            passage_units=settings.split.passage_units,
            corpus_sha256=corpus_hash,
            documents=len({p.doc_id for p in ordered}),
            passages=len(ordered),
            sentences=int(np.load(building / "sentence_spans.npy", allow_pickle=False).shape[0]),
            langs=sorted({p.lang for p in ordered}),
            projects=sorted({p.project for p in ordered if p.project}),
            releases=sorted({p.release for p in ordered if p.release}),
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            files=files,
        )
        (building / MANIFEST).write_text(dump_json(asdict(manifest)), encoding="utf-8")
        for path in building.rglob("*"):
            if path.is_file():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        return _publish(building, index, f"{manifest.created[:19].replace(':', '').replace('-', '')}-{corpus_hash[:12]}")
    except OSError as error:
        raise from_os_error(error, where=index, doing="build the index") from error
    except RuntimeError as error:  # FAISS reports a full disk so
        raise UserError(f"cannot build the index: {' '.join(str(error).split())[-120:]}", where=index, remedy="free some space") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _publish(building: Path, index: Path, name: str) -> Path:
    """Rename the finished folder, point CURRENT at it, and sweep all but it and the one before."""
    before = (index / CURRENT).read_text(encoding="utf-8").strip() if (index / CURRENT).exists() else ""
    target, number = index / name, 1
    while target.exists():
        number += 1
        target = index / f"{name}-{number}"
    os.chmod(building, 0o755)
    os.replace(building, target)
    sync_folder(index)
    try:
        write_atomic(index / CURRENT, f"{target.name}\n".encode())
    except UserError:
        shutil.rmtree(target, ignore_errors=True)
        raise
    for folder in index.iterdir():
        if folder.is_dir() and folder.name not in (target.name, before) and (folder / MANIFEST).exists():
            shutil.rmtree(folder, ignore_errors=True)
    return target


def _write_arrays(passages: Sequence[Passage], encoder: Encoder, folder: Path, cache: "_Cache", tell: Tell) -> None:
    spans = np.array(
        [(row, start, end) for row, p in enumerate(passages) for start, end in sentence_spans(p.text)], dtype=np.int32
    ).reshape(-1, 3)
    vectors, langs = _encode(passages, spans, encoder, cache, tell)
    prior = _priors(encoder)
    means = {kind: centring.language_means(vectors[kind], langs[kind], prior.get(kind, {})) for kind in vectors}
    centred = {kind: centring.centre(vectors[kind], langs[kind], means[kind]) for kind in ("passage", "sentence")}
    dense.build(centred["passage"], [dense.passage_key(p.id) for p in passages], folder / "vectors.faiss")
    np.save(folder / "sentences.npy", centred["sentence"].astype(np.float16))
    np.save(folder / "sentence_spans.npy", spans)
    arrays: dict[str, Any] = {f"{kind}_{lang}": mean for kind, found in means.items() for lang, mean in found.items()}
    np.savez(folder / "means.npz", **arrays)
    lexical.build([p.encoded_text() for p in passages], folder / "bm25")
    cache.save(folder / "encoded.npz")


def _encode(
    passages: Sequence[Passage], spans: NDArray[np.int32], encoder: Encoder, cache: "_Cache", tell: Tell
) -> tuple[dict[str, Float32], dict[str, list[str]]]:
    """Return raw vectors and languages by kind: passages, their sentences, and texts that are like questions."""
    langs = [p.lang for p in passages]
    sentences = [passages[row].text[start:end] for row, start, end in spans.tolist()]
    questions, question_langs = _question_like(passages)
    vectors = {
        "passage": cache.encode([p.encoded_text() for p in passages], encoder.encode_passages, "passage", "passages", tell),
        "sentence": cache.encode(sentences, encoder.encode_passages, "passage", "sentences", tell),
        "question": cache.encode(questions, encoder.encode_questions, "question", "headings", tell),
    }
    return vectors, {"passage": langs, "sentence": [langs[row] for row in spans[:, 0].tolist()], "question": question_langs}


def save_priors(index: Path, encoder: Encoder, path: Path = _PRIORS) -> None:
    """Write the plain language means of the built index as priors for small corpora of the same model."""
    snapshot = Snapshot(resolve(index))
    vectors, langs = _encode(snapshot.passages, snapshot.spans, encoder, _Cache.of(index, encoder), silent)
    means = {
        kind: {lang: [round(float(x), 5) for x in rows[np.asarray(langs[kind]) == lang].mean(axis=0)] for lang in sorted(set(langs[kind]))}
        for kind, rows in vectors.items()
    }
    write_atomic(path, dump_json({"model_id": encoder.model_id, "revision": encoder.revision, "means": means}).encode())


def _question_like(passages: Sequence[Passage]) -> tuple[list[str], list[str]]:
    """Texts that stand in for questions when their mean is taken: headings and first sentences, by language.

    At most about QUESTION_LIKE of a language, spread over the posts: encoding them takes time, and a mean needs no more.
    """
    seen: dict[tuple[str, str], None] = {}
    for passage in passages:
        if passage.section:
            seen[passage.section[-1], passage.lang] = None
        first = sentence_spans(passage.text)[:1]
        if first:
            seen[passage.text[slice(*first[0])][:120], passage.lang] = None
    by_lang: dict[str, list[str]] = {}
    for text, lang in seen:
        by_lang.setdefault(lang, []).append(text)
    spread = [(text, lang) for lang, texts in by_lang.items() for text in texts[:: math.ceil(len(texts) / QUESTION_LIKE)]]
    return [text for text, _ in spread], [lang for _, lang in spread]


def _priors(encoder: Encoder) -> Mapping[str, Mapping[str, Float32]]:
    """Stored means of the bundled model by kind and language; none for other models."""
    record = json.loads(_PRIORS.read_text(encoding="utf-8")) if _PRIORS.exists() else {}
    if (record.get("model_id"), record.get("revision")) != (encoder.model_id, encoder.revision):
        return {}
    return {kind: {lang: np.asarray(mean, dtype=np.float32) for lang, mean in means.items()} for kind, means in record["means"].items()}


class _Cache:
    """Vectors by what was encoded, from the generation before to the next."""

    def __init__(self, known: dict[bytes, Float32]) -> None:
        self._known = known
        self._used: dict[bytes, Float32] = {}

    @classmethod
    def of(cls, index: Path, encoder: Encoder) -> Self:
        """The vectors of the current generation, if it is whole and of the same model; else none."""
        try:
            folder = resolve(index)
            manifest = Manifest.read(folder)
            if (manifest.model_id, manifest.revision, manifest.prompts) != (encoder.model_id, encoder.revision, encoder.prompts):
                return cls({})
            with np.load(folder / "encoded.npz", allow_pickle=False) as arrays:
                keys, vectors = arrays["keys"], arrays["vectors"]
        except (UserError, OSError, ValueError, KeyError):
            return cls({})
        return cls({key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)})

    def encode(self, texts: Sequence[str], encode: Callable[[list[str]], Float32], kind: str, name: str, tell: Tell) -> Float32:
        """Vectors of `texts`, float32 (n, d), encoding only those not known; progress goes to `tell`."""
        keys = [blake2b(f"{kind}\0{text}".encode(), digest_size=16).digest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        # Longest first, as SentenceTransformer batches them: a batch then holds texts of one length.
        todo = sorted(fresh.items(), key=lambda item: (-len(item[1]), item[0]))
        step = 256
        for at in range(0, len(todo), step):
            tell(f"encoding {name}: {at}/{len(todo)}")
            part = todo[at : at + step]
            for (key, _), vector in zip(part, encode([text for _, text in part]), strict=True):
                self._known[key] = vector
        if todo:
            tell(f"encoding {name}: {len(todo)}/{len(todo)}")
        self._used.update((key, self._known[key]) for key in keys)
        return np.stack([self._known[key] for key in keys]) if keys else np.zeros((0, 1), np.float32)

    def save(self, path: Path) -> None:
        keys = sorted(self._used)
        digests = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, 16)
        np.savez(path, keys=digests, vectors=np.stack([self._used[key] for key in keys]))
