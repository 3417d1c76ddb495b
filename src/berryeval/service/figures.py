"""Metrics for operators, in the format of Prometheus."""

from __future__ import annotations

import importlib
import os

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector

__all__ = ["CONTENT_TYPE", "Figures"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"})


class Figures:
    """Counters of one service, in its own registry, so that two in one process do not mix.

    Several workers count in files, whose sums any of them reports: `shared_folder`.

    Requests are counted by route (``/v1/runs/{run_id}``), not by path, so that clients cannot
    create a series per id.
    """

    def __init__(self, shared_folder: str | None = None) -> None:
        if shared_folder is not None:
            # The library looks for it when it is imported.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = shared_folder
            importlib.reload(values)
        self._is_shared = shared_folder is not None
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "berryeval_requests",
            "Completed requests.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "berryeval_request_seconds",
            "Request duration in seconds.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.in_flight = Gauge(
            "berryeval_requests_in_flight",
            "Requests in progress.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self.jobs = Gauge(
            "berryeval_jobs",
            "Jobs by state.",
            ("state",),
            registry=self._registry,
            multiprocess_mode="livesum",
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response; status 0 is a caller that disconnected."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def to_text(self) -> bytes:
        """Return all metrics in the format of Prometheus."""
        if not self._is_shared:
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
