"""JSON bodies of requests: received on disk, counted, and parsed and validated a few at a time.

A large body would be held in memory for as long as its client takes to send it, and again as
parsed values until the request is answered. Only the latter is needed, and shares a budget.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from anyio import to_thread
from anyio.lowlevel import RunVar
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from berryeval.service.body_limits import JsonLimit, count_values, json_limit, too_many_keys
from berryeval.service.problems import Problem, problem_of_disk
from berryeval.service.settings import SMALL_BODY

__all__ = ["MAX_FIELDS", "JsonRoute", "received_form"]

_SMALL = 1 << 16
"""Maximum size of a body that is held in memory and parsed immediately, in bytes. Larger ones are
parsed and validated in a thread, while others are served: 100,000 judgments take half a second."""

_CHEAP = 20_000
"""Maximum number of values in a body that is parsed without waiting for others."""

_BUDGET = 2_000_000
"""Total number of values in all other bodies that are parsed or processed at the same time."""

_BYTES_PER_VALUE = 32
"""Long texts count like this many values: two bodies of 32 MB use the whole budget."""

MAX_FIELDS = 5_000
"""Maximum number of fields in a form."""


class JsonRoute(APIRoute):
    """A route whose body is parsed within limits."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        """Return the handler of the route."""
        handle = super().get_route_handler()
        limit = json_limit(self.methods or (), self.path)
        # Otherwise it stands for several fields, which FastAPI looks up in the parsed JSON.
        is_whole_body = self.body_field in self.dependant.body_params
        validate = self.body_field.validate if self.body_field and is_whole_body else None

        async def handler(request: Request) -> Response:
            async with AsyncExitStack() as held:
                received = _JsonRequest(request.scope, request.receive, limit, validate, held)
                try:
                    return await handle(received)
                except HTTPException as error:  # raised by FastAPI if the JSON is unusable
                    if isinstance(error.__cause__, RequestValidationError):
                        raise error.__cause__ from None
                    raise

        return handler


class _JsonRequest(Request):
    """A request whose body stays on disk until it is its turn."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        limit: JsonLimit,
        validate: Callable[..., tuple[Any, list[dict[str, Any]]]] | None,
        held: AsyncExitStack,
    ) -> None:
        super().__init__(scope, receive)
        self._limit = limit
        self._validate = validate
        self._held = held

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):  # where Starlette looks for it
            with SpooledTemporaryFile(max_size=_SMALL) as file, _expect_whole_body():
                async for piece in self.stream():
                    _write(file, piece)
                self._body = await self._read(file, file.tell())
        return self._body

    async def _read(self, file: IO[bytes], n_bytes: int) -> bytes:
        file.seek(0)
        if n_bytes <= _SMALL:
            return file.read()
        if not _is_json(self.headers.get("content-type")):
            return file.read(SMALL_BODY)  # a form; larger ones are rejected for their type
        n_values = await to_thread.run_sync(count_values, _pieces(file), self._limit)
        if n_values > _CHEAP or n_bytes > _CHEAP * _BYTES_PER_VALUE:
            cost = min(_BUDGET, max(n_values, n_bytes // _BYTES_PER_VALUE))
            await self._held.enter_async_context(_share(cost))
            self._check_deadline()
        file.seek(0)
        return await to_thread.run_sync(file.read)

    def _check_deadline(self) -> None:
        if time.monotonic() > self.state.deadline:  # the client has its response
            raise Problem(504, "the request has timed out", kind="timeout")

    async def json(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the parsed body; for a large one, the model, which FastAPI need not validate."""
        body = await self.body()
        if len(body) <= _SMALL:
            count_values([body], self._limit)
            return _parsed(body, self._limit)
        parsed = await to_thread.run_sync(_parsed, body, self._limit)
        if self._validate is None:
            return parsed
        model, errors = await to_thread.run_sync(partial(self._validate, parsed, loc=("body",)))
        if errors:
            raise RequestValidationError(errors)
        return model


def _write(file: IO[bytes], piece: bytes) -> None:
    try:
        file.write(piece)
    except OSError as error:  # FastAPI would blame the client
        raise problem_of_disk(error) or error from None


def _is_json(content_type: str | None) -> bool:
    """Whether FastAPI parses a body of this type."""
    kind = (content_type or "application/json").partition(";")[0].strip().lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(_SMALL):
        yield piece


def _parsed(body: bytes, limit: JsonLimit) -> Any:  # noqa: ANN401 - any JSON
    """Parse JSON whose values were counted."""

    # While a list without objects is parsed, no other thread runs: one of 1,000,000 numbers takes
    # about a tenth of a second.
    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > limit.keys:
            raise too_many_keys(limit)
        return dict(pairs)

    if json.detect_encoding(body) not in ("utf-8", "utf-8-sig"):  # keys are counted in UTF-8 only
        raise _not_json("JSON in UTF-8", "another encoding")
    try:
        return json.loads(body, object_pairs_hook=object_of)
    except RecursionError:
        raise _not_json("JSON with fewer levels", "too many") from None
    except UnicodeDecodeError as error:
        raise _not_json("JSON in UTF-8", f"an invalid byte at {error.start:,}") from None


def _not_json(expected: str, found: str) -> Problem:
    return Problem(400, f"body: expected {expected}, found {found}", kind="not-json",
                   where="body", expected=expected, found=found)  # fmt: skip


class _Budget:
    """Values that may be in memory at the same time; requests wait for them in order."""

    def __init__(self) -> None:
        self._n_left = _BUDGET
        self._queue = asyncio.Lock()
        self._is_freed = asyncio.Event()

    @asynccontextmanager
    async def share(self, cost: int) -> AsyncIterator[None]:
        async with self._queue:
            while self._n_left < cost:
                self._is_freed.clear()
                await self._is_freed.wait()
            self._n_left -= cost
        try:
            yield
        finally:
            self._n_left += cost
            self._is_freed.set()


_budget: RunVar[_Budget] = RunVar("berryeval_body_budget")


@asynccontextmanager
async def _share(cost: int) -> AsyncIterator[None]:
    """Hold a share of the budget of this event loop within the block."""
    try:
        budget = _budget.get()
    except LookupError:
        budget = _Budget()
        _budget.set(budget)
    async with budget.share(cost):
        yield


async def received_form(request: Request, **limits: int) -> FormData:
    """Return the form in a body.

    Parameters
    ----------
    **limits : int
        Limits of `starlette.requests.Request.form`, such as ``max_files``.

    Raises
    ------
    Problem
        400 if it was cut off; 422 if it has more than `MAX_FIELDS`: a body of separators would have
        half a million.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    with _expect_whole_body():
        if kind != "multipart/form-data" and (await request.body()).count(b"&") >= MAX_FIELDS:
            expected = f"at most {MAX_FIELDS:,} fields"
            raise Problem(422, f"form: expected {expected}, found more", kind="shape", where="form",
                          expected=expected, found="more")  # fmt: skip
        return await request.form(**limits)


@contextmanager
def _expect_whole_body() -> Iterator[None]:
    """Raise a problem if the client ends the connection, as a second click on a button does."""
    try:
        yield
    except ClientDisconnect:
        raise Problem(400, "body: cut off; nothing was stored", kind="cut-off",
                      where="body") from None  # fmt: skip
