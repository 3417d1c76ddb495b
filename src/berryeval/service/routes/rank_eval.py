"""Elasticsearch's ranking evaluation: GET and POST of ``_rank_eval``, as its clients call it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import Response

from berryeval.errors import NotFoundError
from berryeval.service.answers import Answer
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import DeadlineDep, StoresDep
from berryeval.service.problems import Problem, problem_of_validation
from berryeval.service.rank_eval.elastic_answers import ErrorAnswer, RankEvalAnswer
from berryeval.service.rank_eval.evaluating import all_failed, rank_eval
from berryeval.service.rank_eval.models import RankEvalRequest
from berryeval.service.stores.store import Store
from berryeval.service.stores.stores import Stores

__all__ = ["router"]


class _Route(JsonRoute):
    """A route that reports invalid requests in the words of Elasticsearch."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError as error:
                raise _problem(error) from None
            except Problem as problem:
                if problem.kind == "shape":  # too many values
                    raise _unparsed(problem) from None
                raise

        return handle


def _problem(error: RequestValidationError) -> Problem:
    first = error.errors()[0]
    if first["type"] == "value_error":  # a rule of ours, with a complete message
        return Problem(400, str(first["ctx"]["error"]), kind="illegal-argument")
    if first["type"] == "missing" and first["loc"] == ("body",):
        return Problem(400, "request body or source parameter is required", kind="parse")
    return _unparsed(problem_of_validation(error))


def _unparsed(problem: Problem) -> Problem:
    return Problem(400, f"[rank_eval] failed to parse: {problem.detail}", kind="shape")


router = APIRouter(tags=["stores"], route_class=_Route)

_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": description}
    for status, description in {
        400: "Invalid request",
        401: "Missing or unknown token",
        403: "Not allowed",
        404: "No such collection",
        413: "Too large",
        415: "Not JSON",
        503: "The archive is unavailable",
        504: "Timeout",
    }.items()
}

_Index = Annotated[
    str,
    Path(
        description="One or more stores, separated by commas; `*` matches any characters.",
        examples=["default"],
        max_length=1024,
    ),
]
_SearchType = Annotated[
    Literal["query_then_fetch", "dfs_query_then_fetch"] | None,
    Query(description="Accepted without effect: a store is always searched as a whole."),
]
_IgnoreUnavailable = Annotated[
    bool, Query(description="Ignore stores that do not exist, instead of failing.")
]
_AllowNoIndices = Annotated[bool, Query(description="Whether a pattern may match no store.")]
_ExpandWildcards = Annotated[
    str | None,
    Query(
        max_length=100,
        description="Accepted; `none` takes patterns literally.",
        examples=["open"],
    ),
]


def evaluate_ranking(
    index: _Index,
    given: RankEvalRequest,
    stores: StoresDep,
    deadline: DeadlineDep,
    search_type: _SearchType = None,  # noqa: ARG001 - accepted
    ignore_unavailable: _IgnoreUnavailable = False,  # noqa: FBT002 - FastAPI's way
    allow_no_indices: _AllowNoIndices = True,  # noqa: FBT002
    expand_wildcards: _ExpandWildcards = None,
) -> Answer:
    """Search a store for each query, and score the hits with the ratings in the request.

    The request and the response are those of Elasticsearch. Several metrics can be requested at
    once; their scores are under `metrics`. A query that fails or times out is listed under
    `failures`, and excluded from means.
    """
    try:
        chosen = _choose(
            stores,
            index,
            is_lenient=ignore_unavailable,
            may_be_none=allow_no_indices,
            has_patterns=expand_wildcards != "none",
        )
    except NotFoundError as error:
        return Answer(all_failed(given, error))
    return Answer(rank_eval(given, chosen, deadline))


def evaluate_ranking_everywhere(
    given: RankEvalRequest,
    stores: StoresDep,
    deadline: DeadlineDep,
    search_type: _SearchType = None,  # noqa: ARG001 - accepted
    ignore_unavailable: _IgnoreUnavailable = False,  # noqa: FBT002, ARG001
    allow_no_indices: _AllowNoIndices = True,  # noqa: FBT002, ARG001
    expand_wildcards: _ExpandWildcards = None,  # noqa: ARG001
) -> Answer:
    """Search all stores for each query, merge the hits by score, and score them."""
    chosen = [stores.find(name) for name in stores.names()]
    return Answer(rank_eval(given, chosen, deadline))


def _choose(
    stores: Stores, expression: str, *, is_lenient: bool, may_be_none: bool, has_patterns: bool
) -> list[Store]:
    """Return the stores that an expression names, each once, in the order of the expression."""
    names = stores.names()
    chosen: dict[str, None] = {}
    for part in filter(None, expression.split(",")):
        if has_patterns and ("*" in part or part == "_all"):
            fitting = [name for name in names if part == "_all" or fnmatchcase(name, part)]
            if not fitting and not may_be_none:
                raise NotFoundError("store", part)
        elif part in names:
            fitting = [part]
        elif is_lenient:
            fitting = []
        else:
            raise NotFoundError("store", part)
        chosen.update(dict.fromkeys(fitting))
    return [stores.find(name) for name in chosen]


for _path, _endpoint in (
    ("/{index:id}/_rank_eval", evaluate_ranking),
    ("/_rank_eval", evaluate_ranking_everywhere),
):
    for _method, _ending in (("POST", ""), ("GET", "_by_get")):
        router.add_api_route(
            _path,
            _endpoint,
            methods=[_method],
            name=f"{_endpoint.__name__}{_ending}",
            response_model=RankEvalAnswer,
            responses=_ERRORS,
        )
