"""Runs of the service; files are streamed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from berryeval.client.connection import Record, Resource, save
from berryeval.core.run import Run

__all__ = ["Runs"]

_RUN = "/v1/runs/{run_id}"


class Runs(Resource):
    """Rankings of search systems."""

    def __iter__(self) -> Iterator[Record]:
        return self.list()

    def list(self, *, name: str | None = None) -> Iterator[Record]:
        """Iterate over runs, newest first."""
        return self._connection.iter_items("/v1/runs", query={"name": name})

    def upload(
        self,
        run: str | os.PathLike[str] | Run,
        *,
        name: str,
        format: str | None = None,
        tags: Sequence[str] = (),
        commit: str | None = None,
        corpus_hash: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Record:
        """Upload a run: a file in any supported format, compressed or not.

        Parameters
        ----------
        run : path or Run
            A file is streamed unmodified. If a `Run` has times (`Run.milliseconds`), they are
            stored, too.
        name : str
            Name of the system; runs of the same name form a series.
        format : str, optional
            Format of the file. Default: detected by the service.
        tags, commit, corpus_hash, settings
            Further facts about the run.
        """
        if isinstance(run, Run):
            with tempfile.TemporaryDirectory(prefix="berryeval-") as folder:
                path = _written(run, Path(folder))
                stored = self.upload(
                    path,
                    name=name,
                    format="jsonl",
                    tags=tags,
                    commit=commit,
                    corpus_hash=corpus_hash,
                    settings=settings,
                )
            if run.milliseconds:
                self.set_timings(stored["run_id"], run.milliseconds)
            return stored
        query = {
            "name": name,
            "file_name": Path(run).name,
            "format": format,
            "tag": [*tags],
            "commit": commit,
            "corpus_hash": corpus_hash,
            "settings": None if settings is None else json.dumps(settings),
        }
        with Path(run).open("rb") as file:
            n_bytes = os.fstat(file.fileno()).st_size
            return self._connection.send_file("/v1/runs", file, query, n_bytes)

    def get(self, run_id: str) -> Record:
        """Return a run, without its rankings."""
        return self._connection.ask("GET", _RUN, {"run_id": run_id})

    def download(self, run_id: str, path: str | os.PathLike[str], *, format: str = "trec") -> None:
        """Download a run to a file, which is replaced only when complete."""
        with self._connection.stream(
            f"{_RUN}/file", {"run_id": run_id}, {"format": format}
        ) as rows:
            save(rows, path)

    def load(self, run_id: str) -> Run:
        """Return the rankings of a run."""
        from berryeval.formats import read_run

        with tempfile.TemporaryDirectory(prefix="berryeval-") as folder:
            path = Path(folder) / "run.jsonl"
            self.download(run_id, path, format="jsonl")
            return read_run(path, format="jsonl")

    def ranking(self, run_id: str, query_id: str, *, depth: int = 100) -> Record:
        """Return the ranking of a query in a run, best first, with the current grades."""
        ids = {"run_id": run_id, "query_id": query_id}
        return self._connection.ask(
            "GET", f"{_RUN}/rankings/{{query_id}}", ids, query={"depth": depth}
        )

    def set_timings(self, run_id: str, timings: Mapping[str, float]) -> Record:
        """Store how long the queries of a run took, in milliseconds, for measures of time.

        Raises `ConflictError` if the run has other times: they never change.
        """
        body = {"timings": dict(timings)}
        return self._connection.ask("PUT", f"{_RUN}/timings", {"run_id": run_id}, body=body)

    def remove(self, run_id: str) -> None:
        """Remove a run with its evaluations; raise `ConflictError` if it is a baseline."""
        self._connection.ask("DELETE", _RUN, {"run_id": run_id})


def _written(run: Run, folder: Path) -> Path:
    from berryeval.formats import write_run

    path = folder / "run.jsonl"
    write_run(run, path, format="jsonl")
    return path
