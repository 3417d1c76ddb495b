"""One guard of ``berryeval.toml`` as a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.errors import ArgumentError
from berryeval.evaluation.guards import Guard, MarginGuard, ThresholdGuard
from berryeval.evaluation.verdict import GuardResult
from berryeval.pytest_plugin import _failures
from berryeval.reports.wording import reason_of
from berryeval.suite.gate import CANDIDATE

if TYPE_CHECKING:
    from berryeval.pytest_plugin.results import Results

__all__ = ["GuardCheck"]


class GuardCheck:
    """A guard with its verdicts, as the fixture ``berryeval_guard`` returns it.

    All guards of the file are decided together, as `berryeval gate` does.
    """

    def __init__(self, results: Results, guard: Guard) -> None:
        self.results = results
        self.guard = guard

    @property
    def verdicts(self) -> tuple[GuardResult, ...]:
        """The guard's verdicts over all queries, and for each of its slices."""
        found = tuple(one for one in self.results.gate.guards if one.guard == self.guard)
        if not found:  # without guards, all of them would hold
            raise ArgumentError("berryeval_guard", "a guard of berryeval.toml", str(self.guard))
        return found

    def assert_holds(self, *, allow_inconclusive: bool | None = None) -> None:
        """Assert that the guard passes, over all queries and for each slice that counts.

        Parameters
        ----------
        allow_inconclusive : bool, optional
            Whether an inconclusive verdict passes. If omitted, it does if berryeval.toml has
            ``inconclusive = 0``.
        """
        __tracebackhide__ = True
        self.results.assert_answered()
        if allow_inconclusive is None:
            allow_inconclusive = self.results.settings.gate.exit_code("inconclusive") == 0
        allowed = ("pass", "inconclusive") if allow_inconclusive else ("pass",)
        broken = [v for v in self.verdicts if not v.is_watched and v.verdict not in allowed]
        if broken:
            messages = [f"{verdict.verdict}: {_message(verdict)}" for verdict in broken]
            way_out = self.results.gate.suggestion
            is_open = all(verdict.verdict == "inconclusive" for verdict in broken)
            after = [way_out] if way_out is not None and is_open else []
            raise AssertionError("\n".join([*messages, *self._behind(), *after]))

    def _behind(self) -> list[str]:
        """List the queries behind the failure."""
        gate = self.results.gate
        if isinstance(self.guard, ThresholdGuard):
            return _failures.of_worst(self.results, gate.evaluation, self.guard.measure)
        if isinstance(self.guard, MarginGuard) and gate.comparison is not None:
            measure = self.guard.measure
            return _failures.of_losses(self.results, gate.comparison, CANDIDATE, measure)
        return []

    def __repr__(self) -> str:
        return f"<GuardCheck {self.guard}>"


def _message(verdict: GuardResult) -> str:
    reason = reason_of(verdict)
    return reason if verdict.slice is None else f"{verdict.slice}: {reason}"
