"""The client: everything that the service can do, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from berryeval.client.connection import Connection, Record
from berryeval.client.deciding import Baselines, Evaluations, Gates, Jobs, as_list, prefer
from berryeval.client.documents import Documents
from berryeval.client.judgments import Judgments
from berryeval.client.queries import Queries
from berryeval.client.runs import Runs
from berryeval.client.stores import Stores, as_asked

if TYPE_CHECKING:
    from typing_extensions import Self

    from berryeval.core.query import Query

__all__ = ["Client"]


class Client:
    """Everything that a BerryEval service can do.

    Answers are dicts as the service's description has them; those that can be replaced have an
    `etag`. Lists are iterators, which ask for the next page when they get there. What goes wrong
    is raised as the error that the library itself would raise, such as `NotFoundError` or
    `UnknownMeasureError`; `ServiceError` if the service cannot be reached, or refuses.

    A client may be shared by threads. It keeps a connection open for each.

    Parameters
    ----------
    url : str
        The address of the service.
    token : str, optional
        What `berryeval token create` showed. On the same machine none is needed.
    timeout : float
        Seconds to wait for the service.

    Raises
    ------
    ArgumentError
        For an address that is none.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:8765")
    >>> client.judgments.put([("q1", "d7", 2)])  # doctest: +SKIP
    {'received': 1, 'changed': 1}
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8765", token: str | None = None, *, timeout: float = 60.0
    ) -> None:
        self._connection = Connection(url, token, timeout)
        self.url = self._connection.url
        self.queries = Queries(self._connection)
        """What is asked, with its labels."""
        self.judgments = Judgments(self._connection)
        """Grades, who gave them, and what they were before."""
        self.documents = Documents(self._connection)
        """What is known of documents."""
        self.runs = Runs(self._connection)
        """What systems returned."""
        self.evaluations = Evaluations(self._connection)
        """Runs scored with the judgments of a moment."""
        self.baselines = Baselines(self._connection)
        """Names for the runs that candidates are held against."""
        self.gates = Gates(self._connection)
        """What a candidate has to reach, and the verdicts on it."""
        self.stores = Stores(self._connection)
        """Search indexes of the service."""
        self.jobs = Jobs(self._connection)
        """Long work."""

    def compare(
        self,
        baseline: str,
        candidates: str | Sequence[str],
        measures: str | Sequence[str] = ("nDCG@10",),
        *,
        as_job: bool = False,
        **settings: Any,  # noqa: ANN401 - as the route has them
    ) -> Record:
        """Hold runs against a baseline; `settings` are those of ``POST /v1/comparisons``.

        With `as_job` the answer is a job, as in all methods that have it.
        """
        body = {
            "baseline": baseline,
            "candidates": as_list(candidates),
            "measures": as_list(measures),
            **settings,
        }
        return self._connection.ask("POST", "/v1/comparisons", body=body, headers=prefer(as_job))

    def holes(
        self,
        runs: str | Sequence[str],
        measures: str | Sequence[str] = ("nDCG@10",),
        *,
        as_job: bool = False,
        **settings: Any,  # noqa: ANN401 - as the route has them
    ) -> Record:
        """List unjudged documents, those first that could change most."""
        body = {"runs": as_list(runs), "measures": as_list(measures), **settings}
        return self._connection.ask("POST", "/v1/holes", body=body, headers=prefer(as_job))

    def history(
        self,
        measure: str = "nDCG@10",
        *,
        name: str | None = None,
        at: str | None = None,
        daily: bool = False,
        as_job: bool = False,
    ) -> Record:
        """Follow a measure over the runs of a name, all scored with the same judgments."""
        query = {"measure": measure, "name": name, "at": at, "daily": daily or None}
        return self._connection.ask("GET", "/v1/history", query=query, headers=prefer(as_job))

    def judge(self, judgments: Iterable[Mapping[str, Any]]) -> None:
        """Store judgments ``{"query_id", "doc_id", "relevance"}`` (E5)."""
        self._connection.ask("POST", "/v1/evaluation/judgments", body=[*map(dict, judgments)])

    def evaluate_store(
        self,
        queries: Iterable[Query] | Mapping[str, str],
        store: str = "default",
        ks: Sequence[int] = (1, 3, 5, 10),
        *,
        as_job: bool = False,
    ) -> Record:
        """Ask a store queries, given with their texts by id or as `Query`, and score it (E5).

        The record has ``results``, ``summary``, ``failed`` and ``notes``: sentences that name what
        is missing, such as documents or judgments, and how to add it.
        """
        body = {"queries": as_asked(queries), "store": store, "ks": [*ks]}
        headers = prefer(as_job)
        return self._connection.ask("POST", "/v1/evaluation/evaluate", body=body, headers=headers)

    def summary(self, store: str = "default") -> Record:
        """Return the summary of a store's latest evaluation (E5)."""
        return self._connection.ask("GET", "/v1/evaluation/summary", query={"store": store})

    def rank_eval(
        self,
        requests: Sequence[Mapping[str, Any]],
        metric: Mapping[str, Any],
        *,
        store: str | None = None,
        **settings: Any,  # noqa: ANN401 - as the route has them
    ) -> Record:
        """Evaluate a ranking as Elasticsearch does, over a store, or over all without one."""
        body = {"requests": [*requests], "metric": metric, **settings}
        if store is None:
            return self._connection.ask("POST", "/_rank_eval", body=body)
        return self._connection.ask("POST", "/{index}/_rank_eval", {"index": store}, body=body)

    def health(self) -> Record:
        """Tell that the service lives, and its version."""
        return self._connection.ask("GET", "/healthz")

    def readiness(self) -> Record:
        """Tell whether the service can work."""
        return self._connection.ask("GET", "/readyz")

    def metrics(self) -> str:
        """Return figures as Prometheus reads them."""
        return self._connection.text("/metrics")

    def description(self) -> Record:
        """Return the OpenAPI description of every route."""
        return self._connection.ask("GET", "/openapi.json")

    def reference_page(self) -> str:
        """Return the page about every route, as HTML."""
        return self._connection.text("/docs")

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"
