"""Vectors from a local sentence encoder, run by ONNX Runtime.

The folder contains ``model.onnx``, or ``onnx/model.onnx``, and ``tokenizer.json``. Other settings
that affect the vectors are read from the files that sentence-transformers writes, if they exist:

====================================  =====================================================
``1_Pooling/config.json``             whether token states are averaged (the default), or the
                                      first one is used
``sentence_bert_config.json``         maximum number of tokens per text
``config_sentence_transformers.json``  prefixes of queries and documents
====================================  =====================================================
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from berryeval.errors import ArgumentError, FormatError, MissingExtraError
from berryeval.search.embedding.embedder import Vectors, encodable, unit_vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

__all__ = ["OnnxEncoder", "Pooling"]

Pooling: TypeAlias = Literal["mean", "cls"]
"""The mean of all token states, or the state of the first token."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_LONGEST = 512  # tokens by default, as in the training of most encoders


class OnnxEncoder:
    """A sentence encoder in a folder. Several threads may use it at once.

    Parameters
    ----------
    folder : path
        Folder of the model and its tokenizer.
    pooling : {"mean", "cls"}, optional
        How token states become a vector. Default: the setting in the folder. Not used for a model
        that returns one vector per text.
    max_length : int, optional
        Maximum number of tokens per text, at least 3. Default: the setting in the folder.
    query_prefix, document_prefix : str, optional
        Text to put before queries and documents. Default: the settings in the folder.
    batch_size : int
        Number of texts to encode at once.

    Raises
    ------
    ArgumentError
        For an invalid setting.
    FormatError
        If the folder does not exist, a file is missing or unreadable, or the model requires inputs
        other than token ids and masks.
    MissingExtraError
        If ONNX Runtime is not installed.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        pooling: Pooling | None = None,
        max_length: int | None = None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        batch_size: int = 32,
    ) -> None:
        if pooling is not None and pooling not in get_args(Pooling):
            raise ArgumentError("pooling", "'mean' or 'cls'", repr(pooling))
        if max_length is not None and max_length < 3:  # noqa: PLR2004 - two are special tokens
            raise ArgumentError("max_length", "at least 3 tokens", str(max_length))
        if batch_size < 1:
            raise ArgumentError("batch_size", "at least 1", str(batch_size))
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FormatError.unexpected("the folder of an encoder", "none", str(folder))
        prompts = _json(self.folder / "config_sentence_transformers.json").get("prompts") or {}
        self.pooling = pooling or _pooling(self.folder)
        self.max_length = max_length or _max_length(self.folder)
        self.query_prefix = _first(query_prefix, prompts.get("query"))
        self.document_prefix = _first(
            document_prefix, prompts.get("document"), prompts.get("passage")
        )
        self.batch_size = batch_size
        self._model = _model_file(self.folder)
        self._tokenizer = _tokenizer(self.folder / "tokenizer.json", self.max_length)
        self._session = _session(self._model)
        self._lock = threading.Lock()
        self._name: str | None = None

    @property
    def name(self) -> str:
        """The folder's name, a hash of the model, and the settings that affect vectors."""
        with self._lock:
            if self._name is None:
                digest = hashlib.sha256(self._model.read_bytes()).hexdigest()[:12]
                folder = self.folder.resolve().name
                parts = [f"onnx-{folder}-{digest}-{self.pooling}-{self.max_length}"]
                prefixes = {"query": self.query_prefix, "document": self.document_prefix}
                parts += [f"{kind}={text!r}" for kind, text in prefixes.items() if text]
                self._name = " ".join(parts)
        return self._name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of unit length for each document; all zeros for blank text."""
        return self._embed(self.document_prefix, texts)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return a vector of unit length for each query; all zeros for blank text."""
        return self._embed(self.query_prefix, queries)

    def _embed(self, prefix: str, texts: Sequence[str]) -> Vectors:
        filled = [number for number, text in enumerate(texts) if text.strip()]
        encoded = self._tokenizer.encode_batch([prefix + encodable(texts[n]) for n in filled])
        # Group texts of similar length, since computing padding is wasted work.
        order = np.argsort([len(tokens.ids) for tokens in encoded], kind="stable")
        found = np.zeros((len(texts), self._dimensions()), dtype=np.float32)
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            found[[filled[n] for n in batch]] = self._run([encoded[n] for n in batch])
        return unit_vectors(found)

    def _dimensions(self) -> int:
        size = self._session.get_outputs()[0].shape[-1]
        if isinstance(size, int):
            return size
        return int(self._run([self._tokenizer.encode("a")]).shape[-1])

    def _run(self, encoded: Sequence[Encoding]) -> npt.NDArray[np.float32]:
        """Return a vector for each text, not normalised."""
        longest = max(len(tokens.ids) for tokens in encoded)
        inputs = {name: np.zeros((len(encoded), longest), dtype=np.int64) for name in _INPUTS}
        for row, tokens in enumerate(encoded):
            inputs["input_ids"][row, : len(tokens.ids)] = tokens.ids
            inputs["attention_mask"][row, : len(tokens.ids)] = 1
            inputs["token_type_ids"][row, : len(tokens.ids)] = tokens.type_ids
        wanted = {one.name: inputs[one.name] for one in self._session.get_inputs()}
        (states,) = self._session.run([self._session.get_outputs()[0].name], wanted)
        if states.ndim == 2:  # noqa: PLR2004 - one vector per text
            return np.asarray(states, dtype=np.float32)
        if self.pooling == "cls":
            return np.asarray(states[:, 0], dtype=np.float32)
        mask = inputs["attention_mask"][:, :, np.newaxis].astype(np.float32)
        pooled: npt.NDArray[np.float32] = (states * mask).sum(axis=1) / mask.sum(axis=1)
        return pooled


def _first(*texts: str | None) -> str:
    return next((text for text in texts if text is not None), "")


def _json(path: Path) -> Mapping[str, Any]:
    """Return the settings in a file; none if it does not exist."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise FormatError(f"expected JSON ({error})", str(path)) from None
    if not isinstance(found, dict):
        raise FormatError.unexpected("a JSON object", type(found).__name__, str(path))
    return found


def _pooling(folder: Path) -> Pooling:
    path = folder / "1_Pooling" / "config.json"
    settings = _json(path)
    modes = [name for name, is_on in settings.items() if name.startswith("pooling_mode_") and is_on]
    known: dict[str, Pooling] = {"mean_tokens": "mean", "cls_token": "cls"}
    for mode in modes:
        name = mode.removeprefix("pooling_mode_")
        if len(modes) > 1 or name not in known:
            found, way_out = ", ".join(modes), "give pooling to choose one"
            raise FormatError.unexpected("mean or cls pooling", found, str(path), way_out=way_out)
        return known[name]
    return "mean"


def _max_length(folder: Path) -> int:
    declared = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    supported = _json(folder / "config.json").get("max_position_embeddings")
    return next((n for n in (declared, supported) if isinstance(n, int)), _LONGEST)


def _model_file(folder: Path) -> Path:
    for name in ("model.onnx", "onnx/model.onnx"):
        if (folder / name).is_file():
            return folder / name
    raise FormatError.unexpected("model.onnx in the folder of an encoder", "none", str(folder))


def _tokenizer(path: Path, max_length: int) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("Sentence encoders", "onnx") from None
    if not path.is_file():
        raise FormatError.unexpected(
            "tokenizer.json in the folder of an encoder", "none", str(path.parent)
        )
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001 - the library raises nothing narrower
        raise FormatError(f"expected a tokenizer ({error})", str(path)) from None
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length)
    return tokenizer


def _session(path: Path) -> InferenceSession:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError("Sentence encoders", "onnx") from None
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Spinning threads would take processor time from other queries.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # noqa: BLE001 - the library has a class for each code
        reason = str(error).partition("\n")[0]
        raise FormatError(f"expected an ONNX model ({reason})", str(path)) from None
    inputs = [one.name for one in session.get_inputs()]
    if "input_ids" not in inputs or not set(inputs) <= set(_INPUTS):
        expected = "a model of texts, with the inputs input_ids and attention_mask"
        raise FormatError.unexpected(expected, ", ".join(inputs), str(path))
    shape = session.get_outputs()[0].shape
    if len(shape) not in (2, 3):
        raise FormatError.unexpected(
            "a vector for each token or text", f"an output of shape {shape}", str(path)
        )
    return session
