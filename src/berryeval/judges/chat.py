"""Chat completions of a server with an OpenAI-compatible API: ``POST {base}/chat/completions``.

Examples are vLLM, Ollama, llama.cpp, LM Studio and LiteLLM, and many hosted services.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.judges.metering import Meter
from berryeval.judges.prompt import estimate_tokens
from berryeval.search.exchange import Exchange, StatusError, check_address
from berryeval.search.limits import Limits, retried

__all__ = ["Chat", "Reply"]

_OPENAI = "https://api.openai.com/v1"
_UNAUTHORIZED = 401
_SERVER_ERROR = 500  # and above


@dataclass(frozen=True)
class Reply:
    """The answer of a model, and the tokens it used."""

    text: str
    model: str | None
    input_tokens: int
    output_tokens: int


class Chat:
    """A chat model behind an API.

    Parameters
    ----------
    model : str
        The server's name of the model.
    base_url : str, optional
        Address of the API, including its version. Default: ``OPENAI_BASE_URL``, or OpenAI.
    key_variable : str
        Environment variable with the key. It may be unset if no key is required. The key is never
        stored or shown.
    temperature : float or None
        Default: 0. None omits it, for models that allow only their own default.
    answer_tokens : int
        Longest answer, in tokens.
    limit_name : str
        The server's name of that limit: newer models of OpenAI expect ``max_completion_tokens``.
    json_mode : bool
        Whether to request ``response_format: json_object``, which not every server supports.
    limits : Limits, optional
        Timeout of a call, and number of retries if the server is busy or fails. A delay that the
        server requests (``Retry-After``) is respected up to the timeout.
    meter : Meter, optional
        Budget and rate.

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
        temperature: float | None = 0.0,
        answer_tokens: int = 300,
        limit_name: str = "max_tokens",
        json_mode: bool = False,
        limits: Limits | None = None,
        meter: Meter | None = None,
    ) -> None:
        if not model:
            raise ArgumentError("model", "a name", repr(model))
        if answer_tokens < 1:
            raise ArgumentError("answer_tokens", "at least 1", str(answer_tokens))
        place = base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI
        parts = check_address(place)
        if parts.username is not None:
            raise ArgumentError("url", f"no credentials in it; set them in {key_variable}", "some")
        self.model = model
        self.answer_tokens = answer_tokens
        self.meter = meter or Meter()
        self.name = f"{model}@{parts.netloc}"
        """Model and host, since two servers may use the same name differently."""
        self.settings: dict[str, object] = {
            **({} if temperature is None else {"temperature": temperature}),
            limit_name: answer_tokens,
            **({"response_format": {"type": "json_object"}} if json_mode else {}),
        }
        """What a request has in addition to the model and its messages."""
        self._url = place.rstrip("/") + "/chat/completions"
        self._key_variable = key_variable
        self._limits = limits or Limits(timeout=60.0, retries=4)
        key = os.environ.get(key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._exchange = Exchange(self.name, headers, self._limits.timeout)

    def say(self, messages: Sequence[tuple[str, str]]) -> Reply:
        """Send messages, each a role and a text, and return the reply.

        Raises
        ------
        BudgetSpentError
            If the call would exceed the budget.
        AnswerError
            If the response is not a chat completion.
        SystemUnderTestError
            If the server does not answer, or returns an error, after all retries.
        """
        request = {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in messages],
            **self.settings,
        }
        n_input = sum(estimate_tokens(text) for _, text in messages)
        return retried(lambda: self._say_once(json.dumps(request).encode(), n_input), self._limits)

    def _say_once(self, content: bytes, n_input: int) -> Reply:
        estimate = n_input + self.answer_tokens
        self.meter.begin(estimate)
        reply: Reply | None = None
        try:
            reply = self._reply(self._exchange.ask(self._url, content), n_input)
        except StatusError as error:
            raise self._explained(error) from error
        finally:
            used = (0, 0) if reply is None else (reply.input_tokens, reply.output_tokens)
            self.meter.end(estimate, *used)
        return reply

    def _reply(self, answer: Any, n_input: int) -> Reply:  # noqa: ANN401 - unchecked JSON
        try:
            text = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            text = 0
        if text is not None and not isinstance(text, str):
            expected = 'expected {"choices": [{"message": {"content": "…"}}]}'
            raise AnswerError(self.name, f"{expected}, got {json.dumps(answer)[:80]}")
        text = text or ""  # null: a refusal, or nothing but reasoning
        usage = answer.get("usage")
        counts = usage if isinstance(usage, Mapping) else {}
        model = answer.get("model")
        return Reply(
            text,
            model if isinstance(model, str) else None,
            _count(counts.get("prompt_tokens"), n_input),
            _count(counts.get("completion_tokens"), estimate_tokens(text)),
        )

    def _explained(self, error: StatusError) -> SystemUnderTestError:
        message = error.message
        if error.status == _UNAUTHORIZED:
            message += f"; set the key in the environment variable {self._key_variable}"
        is_busy = error.transient or error.status >= _SERVER_ERROR
        return SystemUnderTestError(
            self.name, message, transient=is_busy, retry_after=error.retry_after
        )


def _count(value: object, otherwise: int) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count and isinstance(value, int) else otherwise
