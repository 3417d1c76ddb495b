"""Evaluations, baselines, gates and jobs of the service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from berryeval.client.connection import Record, Resource

__all__ = ["Baselines", "Evaluations", "Gates", "Jobs", "as_list", "prefer"]


def prefer(as_job: bool) -> dict[str, str | None]:
    """Return the header that requests a job."""
    return {"Prefer": "respond-async" if as_job else None}


def as_list(names: str | Sequence[str]) -> list[str]:
    """Return names as a list; a string is a single name."""
    return [names] if isinstance(names, str) else [*names]


class Evaluations(Resource):
    """Runs scored with the judgments at a point in time."""

    def __iter__(self) -> Iterator[Record]:
        return self.list()

    def list(
        self, *, run_id: str | None = None, judgments_hash: str | None = None
    ) -> Iterator[Record]:
        """Iterate over evaluations, newest first."""
        query = {"run_id": run_id, "judgments_hash": judgments_hash}
        return self._connection.iter_items("/v1/evaluations", query=query)

    def create(
        self,
        run: str,
        measures: str | Sequence[str] | None = None,
        *,
        as_job: bool = False,
        **settings: Any,  # noqa: ANN401 - as the route has them
    ) -> Record:
        """Score a run, by its id or the name of a baseline; an identical evaluation is reused."""
        body = {"run": run, **settings}
        if measures is not None:
            body["measures"] = as_list(measures)
        return self._connection.ask("POST", "/v1/evaluations", body=body, headers=prefer(as_job))

    def get(self, evaluation_id: str) -> Record:
        """Return the means of an evaluation."""
        ids = {"evaluation_id": evaluation_id}
        return self._connection.ask("GET", "/v1/evaluations/{evaluation_id}", ids)

    def report(
        self,
        evaluation_id: str,
        *,
        per_query: bool = False,
        by: str | None = None,
        intervals: bool = False,
    ) -> Record:
        """Return an evaluation with every query, slices or intervals."""
        query = {"per_query": per_query, "by": by, "intervals": intervals}
        ids = {"evaluation_id": evaluation_id}
        return self._connection.ask(
            "GET", "/v1/evaluations/{evaluation_id}/report", ids, query=query
        )


class Baselines(Resource):
    """Named runs that candidates are compared with."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/baselines")

    def get(self, name: str) -> Record:
        """Return a baseline."""
        return self._connection.ask("GET", "/v1/baselines/{name}", {"name": name})

    def set(
        self, name: str, run_id: str, *, is_release: bool = False, if_match: str | None = None
    ) -> Record:
        """Set a baseline, which may be a release; `if_match` is its expected ETag."""
        return self._connection.ask(
            "PUT",
            "/v1/baselines/{name}",
            {"name": name},
            body={"run_id": run_id, "is_release": is_release},
            headers={"If-Match": if_match},
        )

    def remove(self, name: str, *, if_match: str | None = None) -> None:
        """Remove a baseline; its run is kept."""
        headers = {"If-Match": if_match}
        self._connection.ask("DELETE", "/v1/baselines/{name}", {"name": name}, headers=headers)


class Gates(Resource):
    """What a candidate must achieve, and verdicts."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/gates")

    def get(self, name: str) -> Record:
        """Return a gate."""
        return self._connection.ask("GET", "/v1/gates/{name}", {"name": name})

    def set(self, name: str, settings: Mapping[str, Any], *, if_match: str | None = None) -> Record:
        """Create or replace a gate: the keys of ``[gate]`` in berryeval.toml, and ``guards``."""
        return self._connection.ask(
            "PUT",
            "/v1/gates/{name}",
            {"name": name},
            body=dict(settings),
            headers={"If-Match": if_match},
        )

    def remove(self, name: str, *, if_match: str | None = None) -> None:
        """Remove a gate; its verdicts are kept."""
        headers = {"If-Match": if_match}
        self._connection.ask("DELETE", "/v1/gates/{name}", {"name": name}, headers=headers)

    def decide(
        self,
        name: str,
        run: str,
        *,
        baseline: str | None = None,
        milliseconds: Mapping[str, float] | None = None,
        open_reserve: bool = False,
        as_job: bool = False,
    ) -> Record:
        """Run a gate on a run, and store the verdict; optionally open its reserve."""
        body: dict[str, Any] = {"run": run}
        if baseline is not None:
            body["baseline"] = baseline
        if milliseconds is not None:
            body["milliseconds"] = dict(milliseconds)
        if open_reserve:
            body["open_reserve"] = True
        return self._connection.ask(
            "POST", "/v1/gates/{name}/verdicts", {"name": name}, body=body, headers=prefer(as_job)
        )

    def verdicts(self, name: str) -> Iterator[Record]:
        """Iterate over the verdicts of a gate, newest first."""
        return self._connection.iter_items("/v1/gates/{name}/verdicts", {"name": name})

    def verdict(self, name: str, verdict_id: int) -> Record:
        """Return a verdict with its report."""
        ids = {"name": name, "verdict_id": str(verdict_id)}
        return self._connection.ask("GET", "/v1/gates/{name}/verdicts/{verdict_id}", ids)


class Jobs(Resource):
    """Long tasks: progress, result and cancellation."""

    def __iter__(self) -> Iterator[Record]:
        return map(Record, self._connection.ask("GET", "/v1/jobs")["items"])

    def get(self, job_id: str) -> Record:
        """Return the state of a job."""
        return self._connection.ask("GET", "/v1/jobs/{job_id}", {"job_id": job_id})

    def events(self, job_id: str) -> Iterator[Record]:
        """Iterate over the states of a job until it has finished."""
        with self._connection.stream("/v1/jobs/{job_id}/events", {"job_id": job_id}) as pieces:
            for line in _lines(pieces):
                if line.startswith(b"data:"):
                    yield Record(json.loads(line[len(b"data:") :]))

    def result(self, job_id: str) -> Record:
        """Return the result of a job; raise `ConflictError` if there is none yet."""
        return self._connection.ask("GET", "/v1/jobs/{job_id}/result", {"job_id": job_id})

    def wait(self, job_id: str) -> Record:
        """Wait until a job has finished, and return its result."""
        for _ in self.events(job_id):
            pass
        return self.result(job_id)

    def cancel(self, job_id: str) -> Record:
        """Cancel a job: at once if it is waiting, otherwise before its next step."""
        return self._connection.ask("DELETE", "/v1/jobs/{job_id}", {"job_id": job_id})


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    yield rest
