"""A chat API on this machine for tests: it speaks OpenAI's protocol over real HTTP.

No language model answers: a function grades, with whatever error a test wants. Requests that are
not documented are rejected.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import contextmanager

import pytest

from search.json_server import serving

_KEYS = {"model", "messages", "temperature", "max_tokens", "max_completion_tokens",
         "response_format"}  # fmt: skip
_CODE = re.compile(r"answer code (?:is )?(\w+)")


def block(text, name):
    """Return the text of a prompt between the two lines of a fence; None without such lines."""
    found = re.search(rf"=== {name} (\w+) ===\n(.*)\n=== end of {name} \1 ===", text, re.DOTALL)
    return None if found is None else found[2]


class Model:
    """A model that grades by a function of query and document, and records its requests.

    If asked for queries, it writes those that ``write(document)`` returns.

    ``faults`` are used instead, one per request: a response as `serving` expects it, or the text
    of an answer. In a text, CODE stands for the code that the prompt asks for.
    """

    def __init__(self, grade=lambda _query, _document: 1, key=None):
        self.grade = grade
        self.write = lambda _document: []
        self.key = key
        self.name = "tiny"
        self.version = "tiny-2026-01-01"
        self.requests = []
        self.faults = []
        self.usage = True

    def reset(self):
        """Forget the requests of a test."""
        self.__init__()

    @property
    def n_requests(self):
        """The number of requests."""
        return len(self.requests)

    def answer(self, request):
        """Answer a request in the form that `serving` expects."""
        self.requests.append(request)
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None and not isinstance(fault, str):
            return fault(request) if callable(fault) else fault
        problem = self._problem(request)
        if problem is not None:
            status, message = problem
            return status, {"error": {"message": message, "type": "invalid_request_error"}}
        user = "\n".join(
            one["content"] for one in request["body"]["messages"] if one["role"] == "user"
        )
        text = self._answer(user) if fault is None else fault.replace("CODE", self._code(user))
        return 200, self._completion(text, request["body"])

    def _answer(self, user):
        query, document = block(user, "query"), block(user, "document")
        if query is None:
            return json.dumps({"code": self._code(user), "queries": self.write(document)})
        opinion = self.grade(query, document)
        if not isinstance(opinion, dict):
            opinion = {"grade": opinion, "reason": "as told", "confidence": 0.9}
        return json.dumps({"code": self._code(user), **opinion})

    def _code(self, user):
        return _CODE.findall(user)[-1]

    def _completion(self, text, body):
        answer = {
            "id": "chatcmpl-1", "object": "chat.completion", "model": self.version,
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
        }  # fmt: skip
        if self.usage:
            n_input = sum(len(one["content"]) for one in body["messages"]) // 5
            answer["usage"] = {"prompt_tokens": n_input, "completion_tokens": 20}
        return answer

    def _problem(self, request):
        if (request["method"], request["path"]) != ("POST", "/v1/chat/completions"):
            return 404, f"Invalid URL ({request['method']} {request['path']})"
        if self.key is not None and request["headers"].get("Authorization") != f"Bearer {self.key}":
            return 401, f"Incorrect API key provided: {request['headers'].get('Authorization')}"
        body = request["body"]
        if set(body) - _KEYS or not body.get("messages"):
            return 400, f"unrecognized request: {sorted(body)}"
        if body["model"] != self.name:
            return 404, f"The model `{body['model']}` does not exist"
        return None


@contextmanager
def model_served(model):
    """Serve a model, and yield the name of a judge for `open_judge`."""
    with serving(model.answer) as address:
        yield f"openai:{model.name}@{address}/v1"


@pytest.fixture(scope="module", name="chat_server")
def served_model():
    """The model, and its name for `open_judge`."""
    model = Model()
    with model_served(model) as place:
        yield model, place


def chance(*parts):
    """Return a number from 0 to 1 that depends on texts only: the same in every run."""
    digest = hashlib.sha256("\x00".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def confused(truth, matrix, seed=""):
    """Return a grading function with a known confusion matrix.

    ``truth(query, document)`` is the grade of people, and row g of the matrix has the probability
    of each grade that the judge gives where people give g.
    """

    def grade(query, document):
        row, drawn = matrix[int(truth(query, document))], chance(seed, query, document)
        for given, probability in enumerate(row):
            drawn -= probability
            if drawn < 0:
                return given
        return len(row) - 1

    return grade
