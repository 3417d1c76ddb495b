"""Vectors from a server with an OpenAI-compatible API: ``POST {base}/embeddings``.

Examples are vLLM, Ollama, llama.cpp, LM Studio, LiteLLM and Text Embeddings Inference.
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
    """A model behind an API. Wrap it in a `CachedEmbedder` to avoid paying twice.

    Blank texts are not sent; their vectors are zeros.

    Parameters
    ----------
    model : str
        The server's name of the model.
    base_url : str, optional
        Address of the API, including its version. Default: ``OPENAI_BASE_URL``, or OpenAI.
    key_variable : str
        Environment variable with the key. It may be unset if no key is required.
    dimensions : int, optional
        Numbers per vector. It is sent, for models that can shorten their vectors, and checked.
    encoding : {"float", "base64"}
        Encoding of the numbers to request. Base64 is four times shorter, but not every server
        supports it; responses may use either.
    batch_size : int
        Maximum number of texts per request.
    timeout : float
        Seconds to wait for each response.
    limits : Limits, optional
        Number of retries if the server is busy or fails.

    Raises
    ------
    ArgumentError
        For an invalid setting.
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
        """Model, dimensions and host, since two servers may use the same name differently."""
        key = os.environ.get(key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._exchange = Exchange(self.name, headers, timeout)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text.

        Raises
        ------
        AnswerError
            If the server does not return one vector of finite numbers for each text, all of the
            same length.
        SystemUnderTestError
            If it does not answer, or returns an error.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        rows = [number for number, text in enumerate(clean) if text.strip()]
        pieces = [
            self._embed_some([clean[row] for row in rows[first : first + self.batch_size]])
            for first in range(0, len(rows), self.batch_size)
        ]
        if self._found_dimensions is None:  # only blank texts so far
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
        code, detail = _error_detail(error.content)
        if error.status == _UNAUTHORIZED:
            has_key = bool(self._exchange.headers)
            what = f"rejected the key in {self._key_variable}" if has_key else "requires a key"
            way_out = "" if has_key else f"; set {self._key_variable}"
            message = what + (f": {detail}" if detail else "") + way_out
            return SystemUnderTestError(self.name, message)
        # An exhausted quota also has the status "too many requests", but a retry does not help.
        is_transient = error.transient or error.status >= _SERVER_ERROR
        message = f"answered {error.status}: {detail}" if detail else error.message
        return SystemUnderTestError(
            self.name,
            message,
            transient=is_transient and code != "insufficient_quota",
            retry_after=error.retry_after,
        )

    def _rows(self, answer: object, n_texts: int) -> list[Vectors]:
        """Return the vectors of a response, sorted by index into the order of the texts."""
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

    def _numbers(self, embedding: Any) -> Vectors:  # noqa: ANN401 - unchecked JSON
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


def _error_detail(content: bytes) -> tuple[str, str]:
    """Return the code and the message of an error in OpenAI's format, or in a plain one."""
    try:
        answer = json.loads(content)
    except ValueError:
        return "", ""
    error = answer.get("error", answer) if isinstance(answer, Mapping) else None
    if isinstance(error, str):
        return "", error
    if not isinstance(error, Mapping):
        return "", ""
    message = error.get("message") or error.get("detail") or ""
    return str(error.get("code") or ""), " ".join(str(message).split())[:300]
