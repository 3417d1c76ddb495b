"""The client of the service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from berryeval.client.collection import Collections, Documents, Judgments, Queries
from berryeval.client.connection import Connection, Record
from berryeval.client.deciding import Baselines, Evaluations, Gates, Jobs, as_list, prefer
from berryeval.client.judges import Judges, LabelDraws, Proposals
from berryeval.client.projects import Imports, Projects
from berryeval.client.runs import Runs
from berryeval.client.stores import Stores, Systems, query_bodies

if TYPE_CHECKING:
    from typing_extensions import Self

    from berryeval.core.query import Query

__all__ = ["Client"]


class Client:
    """A client of a BerryEval service.

    Responses are dicts as in the service's description; those that can be replaced have an
    `etag`. Lists are iterators, which request the next page when needed. Errors are raised as in
    the library, such as `NotFoundError` or `UnknownMeasureError`; `ServiceError` if the service
    cannot be reached or rejects the request.

    Threads may share a client. It keeps a connection open for each.

    Parameters
    ----------
    url : str
        The address of the service.
    token : str, optional
        A token from `berryeval token create`. Not required on the same machine.
    timeout : float
        Seconds to wait for a response.
    collection : str, optional
        The collection to use. Default: the first of the service.

    Raises
    ------
    ArgumentError
        For an invalid address.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:8765")
    >>> client.judgments.put([("q1", "d7", 2)])  # doctest: +SKIP
    {'received': 1, 'changed': 1}
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        token: str | None = None,
        *,
        timeout: float = 60.0,
        collection: str | None = None,
    ) -> None:
        self._connection = Connection(url, token, timeout, collection)
        self.url = self._connection.url
        self.queries = Queries(self._connection)
        """Queries with their labels."""
        self.judgments = Judgments(self._connection)
        """Grades with their authors and history."""
        self.imports = Imports(self._connection)
        """Imported files of judgments."""
        self.projects = Projects(self._connection)
        """Judging as a team."""
        self.documents = Documents(self._connection)
        """Documents."""
        self.runs = Runs(self._connection)
        """Rankings of search systems."""
        self.evaluations = Evaluations(self._connection)
        """Runs scored with the judgments at a point in time."""
        self.baselines = Baselines(self._connection)
        """Named runs that candidates are compared with."""
        self.gates = Gates(self._connection)
        """What a candidate must achieve, and verdicts."""
        self.judges = Judges(self._connection)
        """Automated judges: grades and checks."""
        self.label_draws = LabelDraws(self._connection)
        """Draws of queries that people label."""
        self.proposals = Proposals(self._connection)
        """Queries that a model proposed."""
        self.stores = Stores(self._connection)
        """Search indexes of the service."""
        self.systems = Systems(self._connection)
        """Systems that administrators have registered."""
        self.jobs = Jobs(self._connection)
        """Long tasks."""
        self.collections = Collections(self._connection)
        """Separate golden sets of the service, each with its runs and gates."""

    def compare(
        self,
        baseline: str,
        candidates: str | Sequence[str],
        measures: str | Sequence[str] = ("nDCG@10",),
        *,
        as_job: bool = False,
        **settings: Any,  # noqa: ANN401 - as the route has them
    ) -> Record:
        """Compare runs with a baseline; `settings` are those of ``POST /v1/comparisons``.

        With `as_job`, here and in other methods, the result is a job.
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
        """List unjudged documents, those with the largest effect first."""
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
        """Return a measure for the runs of a name, all scored with the same judgments."""
        query = {"measure": measure, "name": name, "at": at, "daily": daily or None}
        return self._connection.ask("GET", "/v1/history", query=query, headers=prefer(as_job))

    def judge(self, judgments: Iterable[Mapping[str, Any]]) -> None:
        """Store judgments ``{"query_id", "doc_id", "relevance"}``."""
        self._connection.ask("POST", "/v1/evaluation/judgments", body=[*map(dict, judgments)])

    def evaluate_store(
        self,
        queries: Iterable[Query] | Mapping[str, str],
        store: str = "default",
        ks: Sequence[int] = (1, 3, 5, 10),
        *,
        settings: Mapping[str, Any] | None = None,
        as_job: bool = False,
    ) -> Record:
        """Run queries, given as texts by id or as `Query`, on a store, and score the results.

        `settings` are those that differ from the store's, see `Stores.settings`. The result has
        ``results``, ``summary``, ``failed`` and ``notes``: sentences about what is missing, such
        as documents or judgments, and how to add it.
        """
        body = {
            "queries": query_bodies(queries),
            "store": store,
            "ks": [*ks],
            "settings": dict(settings or {}),
        }
        headers = prefer(as_job)
        return self._connection.ask("POST", "/v1/evaluation/evaluate", body=body, headers=headers)

    def summary(self, store: str = "default") -> Record:
        """Return the summary of a store's latest evaluation."""
        return self._connection.ask("GET", "/v1/evaluation/summary", query={"store": store})

    def rank_eval(
        self,
        requests: Sequence[Mapping[str, Any]],
        metric: Mapping[str, Any],
        *,
        store: str | None = None,
        **settings: Any,  # noqa: ANN401 - as the route has them
    ) -> Record:
        """Evaluate a ranking as Elasticsearch does, on one store or on all."""
        body = {"requests": [*requests], "metric": metric, **settings}
        if store is None:
            return self._connection.ask("POST", "/_rank_eval", body=body)
        return self._connection.ask("POST", "/{index}/_rank_eval", {"index": store}, body=body)

    def health(self) -> Record:
        """Return the status and the version of the service."""
        return self._connection.ask("GET", "/healthz")

    def readiness(self) -> Record:
        """Return whether the service is ready."""
        return self._connection.ask("GET", "/readyz")

    def metrics(self) -> str:
        """Return metrics in the format of Prometheus."""
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

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {self.url}>"
