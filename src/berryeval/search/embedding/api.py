"""Vectors by a server that speaks as OpenAI's does: ``POST {base}/embeddings``.

Many do: vLLM, Ollama, llama.cpp, LM Studio, LiteLLM, Text Embeddings Inference.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.embedding.embedder import Vectors, unit_vectors
from berryeval.search.exchange import Exchange, StatusError, check_address
from berryeval.search.limits import Limits, retried

__all__ = ["EmbeddingApi"]

_OPENAI = "https://api.openai.com/v1"
_UNAUTHORIZED = 401
_SERVER_ERROR = 500  # and above


class EmbeddingApi:
    """A model behind an API. Put a `CachedEmbedder` around it: nothing is paid for twice.

    A text of nothing but space is not sent; its vector is zeros.

    Parameters
    ----------
    model : str
        The model, as the server calls it.
    base_url : str, optional
        Where the API is, up to and with its version; ``OPENAI_BASE_URL``, or OpenAI itself,
        unless given.
    key_variable : str
        The environment variable that has the key. It may be unset where no key is needed.
    dimensions : int, optional
        How many numbers a vector shall have. It is sent, for models that can be cut, and checked.
    encoding : {"float", "base64"}
        How to ask for the numbers. Base64 is four times shorter, and not known to every server;
        either is understood.
    batch_size : int
        How many texts are sent at once, at most.
    timeout : float
        Seconds to wait for the server, each time.
    limits : Limits, optional
        How often to try again when the server is busy or fails.

    Raises
    ------
    ArgumentError
        For a setting that cannot be used.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        key_variable: str = "OPENAI_API_KEY",
        dimensions: int | None = None,
        encoding: Literal["float", "base64"] = "float",
        batch_size: int = 128,
        timeout: float = 60.0,
        limits: Limits | None = None,
    ) -> None:
        if not model:
            raise ArgumentError("model", "a name", repr(model))
        if encoding not in ("float", "base64"):
            raise ArgumentError("encoding", "'float' or 'base64'", repr(encoding))
        if batch_size < 1:
            raise ArgumentError("batch_size", "at least 1", repr(batch_size))
        if dimensions is not None and dimensions < 1:
            raise ArgumentError("dimensions", "at least 1", repr(dimensions))
        place = base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI
        parts = check_address(place)
        if parts.username is not None:
            raise ArgumentError(
                "base_url", f"no credentials in it; set them in {key_variable}", "some"
            )
        self.model = model
        self.dimensions = dimensions
        self.encoding = encoding
        self.batch_size = batch_size
        self._url = place.rstrip("/") + "/embeddings"
        self._key_variable = key_variable
        self._limits = limits or Limits()
        self._found_dimensions = dimensions
        cut = "" if dimensions is None else f":{dimensions}"
        self.name = f"{model}{cut}@{parts.netloc}"
        """The model, its dimensions, and the host: two servers may mean two things by a name."""
        key = os.environ.get(key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._exchange = Exchange(self.name, headers, timeout)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text.

        Raises
        ------
        AnswerError
            If the server does not answer with one vector of finite numbers for each text, all of
            the same length.
        SystemUnderTestError
            If it does not answer, or refuses.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        rows = [number for number, text in enumerate(clean) if text.strip()]
        pieces = [
            self._embed_some([clean[row] for row in rows[first : first + self.batch_size]])
            for first in range(0, len(rows), self.batch_size)
        ]
        if self._found_dimensions is None:  # nothing but space so far
            self._embed_some(["space"])
        found = np.zeros((len(texts), self._found_dimensions or 0), dtype=np.float32)
        if pieces:
            found[rows] = np.concatenate(pieces)
        return unit_vectors(found)

    def _embed_some(self, texts: list[str]) -> Vectors:
        request: dict[str, object] = {"model": self.model, "input": texts}
        request["encoding_format"] = self.encoding
        if self.dimensions is not None:
            request["dimensions"] = self.dimensions
        answer = retried(lambda: self._ask(json.dumps(request).encode()), self._limits)
        rows = self._rows(answer, len(texts))
        lengths = {len(row) for row in rows}
        wanted = self._found_dimensions or len(rows[0])
        if lengths != {wanted}:
            got = ", ".join(map(str, sorted(lengths - {wanted})))
            raise AnswerError(self.name, f"expected vectors of {wanted} numbers, got {got}")
        self._found_dimensions = wanted
        vectors = np.stack(rows)
        if not np.isfinite(vectors).all():
            raise AnswerError(self.name, "expected vectors of finite numbers, got nan or infinity")
        return vectors

    def _ask(self, content: bytes) -> object:
        try:
            return self._exchange.ask(self._url, content)
        except StatusError as error:
            raise self._explained(error) from error

    def _explained(self, error: StatusError) -> SystemUnderTestError:
        code, said = _said(error.content)
        if error.status == _UNAUTHORIZED:
            has_key = bool(self._exchange.headers)
            what = f"rejected the key in {self._key_variable}" if has_key else "requires a key"
            way_out = "" if has_key else f"; set {self._key_variable}"
            message = what + (f": {said}" if said else "") + way_out
            return SystemUnderTestError(self.name, message)
        # A quota that is used up is called too many requests, too, and stays used up.
        is_transient = error.transient or error.status >= _SERVER_ERROR
        message = f"answered {error.status}: {said}" if said else error.message
        return SystemUnderTestError(
            self.name,
            message,
            transient=is_transient and code != "insufficient_quota",
            retry_after=error.retry_after,
        )

    def _rows(self, answer: object, n_texts: int) -> list[Vectors]:
        """Return the vectors of an answer in the order of the texts, which their numbers tell."""
        data = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(data, list):
            raise AnswerError(self.name, "expected an object with a list of 'data'")
        by_number = {}
        for item in data:
            number = item.get("index") if isinstance(item, Mapping) else None
            if type(number) is not int:
                raise AnswerError(self.name, "expected items with an 'index' and an 'embedding'")
            by_number[number] = self._numbers(item.get("embedding"))
        if sorted(by_number) != list(range(n_texts)) or len(data) != n_texts:
            raise AnswerError(
                self.name, f"expected {n_texts} vectors, one per text, got {len(data)}"
            )
        return [by_number[number] for number in range(n_texts)]

    def _numbers(self, embedding: Any) -> Vectors:  # noqa: ANN401 - whatever came
        try:
            if isinstance(embedding, str):
                content = base64.b64decode(embedding, validate=True)
                found = np.frombuffer(content, dtype="<f4").astype(np.float32)
            else:
                found = np.asarray(embedding, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise AnswerError(self.name, f"expected a vector of numbers, got {error}") from error
        if found.ndim != 1 or not len(found):
            raise AnswerError(self.name, f"expected a vector, got one of shape {found.shape}")
        return found


def _said(content: bytes) -> tuple[str, str]:
    """Return the code and the message of an error: OpenAI's shape, or a plain one."""
    try:
        answer = json.loads(content)
    except ValueError:
        return "", ""
    error = answer.get("error", answer) if isinstance(answer, Mapping) else None
    if isinstance(error, str):
        return "", error
    if not isinstance(error, Mapping):
        return "", ""
    said = error.get("message") or error.get("detail") or ""
    return str(error.get("code") or ""), " ".join(str(said).split())[:300]
