"""A simulated OpenAI-compatible embedding API for tests; it rejects undocumented requests."""

from __future__ import annotations

import base64
import struct
from contextlib import contextmanager

from search.json_server import serving

_KEYS = {"model", "input", "encoding_format", "dimensions", "user"}


class Model:
    """Vectors of lengths and vowels; records its requests.

    ``faults`` are responses to return instead, one per request.
    """

    def __init__(self, key=None):
        self.key = key
        self.requests = []
        self.faults = []

    def answer(self, request):
        """Answer a request in the form that `serving` expects."""
        self.requests.append(request)
        if self.faults:
            return self.faults.pop(0)
        problem = self._problem(request)
        if problem is not None:
            status, message = problem
            return status, {"error": {"message": message, "type": "invalid_request_error"}}
        body = request["body"]
        data = [
            {
                "object": "embedding",
                "index": number,
                "embedding": _encoded(vector_of(text)[: body.get("dimensions", 4)], body),
            }
            for number, text in enumerate(body["input"])
        ]
        # The order of a response is not guaranteed.
        return 200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": {}}

    def _problem(self, request):  # noqa: PLR0911 - one for each
        if (request["method"], request["path"]) != ("POST", "/v1/embeddings"):
            return 404, f"Invalid URL ({request['method']} {request['path']})"
        if request["headers"].get("Content-Type") != "application/json":
            return 415, "expected JSON"
        if self.key is not None and request["headers"].get("Authorization") != f"Bearer {self.key}":
            return 401, f"Incorrect API key provided: {request['headers'].get('Authorization')}"
        body = request["body"]
        texts = body.get("input")
        if set(body) - _KEYS or not isinstance(texts, list) or not 0 < len(texts) <= 2048:
            return 400, f"unrecognized request: {sorted(body)}"
        if not all(isinstance(text, str) and text for text in texts):
            return 400, "input cannot be an empty string"
        if body.get("encoding_format", "float") not in ("float", "base64"):
            return 400, "unknown encoding_format"
        if body["model"] != "tiny":
            return 404, f"The model `{body['model']}` does not exist"
        return None


def vector_of(text):
    """Return the vector of a text: four numbers that float32 represents exactly."""
    return [float(len(text)), *(float(text.count(vowel)) for vowel in "aeo")]


@contextmanager
def running_model(**settings):
    """Provide the base address of the API, and the model."""
    model = Model(**settings)
    with serving(model.answer) as url:
        yield f"{url}/v1", model


def _encoded(vector, body):
    if body.get("encoding_format") == "base64":
        return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    return vector
