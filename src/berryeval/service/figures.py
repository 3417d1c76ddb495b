"""Metrics for operators, in the format of Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

__all__ = ["CONTENT_TYPE", "Figures"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"})


class Figures:
    """Counters of one service, in its own registry, so that two in one process do not mix.

    Requests are counted by route (``/v1/runs/{run_id}``), not by path, so that clients cannot
    create a series per id.
    """

    def __init__(self) -> None:
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
        )
        self.jobs = Gauge("berryeval_jobs", "Jobs by state.", ("state",), registry=self._registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a response; status 0 is a caller that disconnected."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(known, route).observe(seconds)

    def to_text(self) -> bytes:
        """Return all metrics in the format of Prometheus."""
        return generate_latest(self._registry)
