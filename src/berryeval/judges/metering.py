"""Counts calls and tokens, stops at a budget, and keeps to a rate."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from berryeval.errors import ArgumentError, BerryEvalError

__all__ = ["BudgetSpentError", "Meter", "Price"]

_MILLION = 1_000_000
_MINUTE = 60.0


class BudgetSpentError(BerryEvalError):
    """The next call would exceed the budget. Nothing was sent."""


@dataclass(frozen=True)
class Price:
    """Prices per million tokens, in any currency.

    Examples
    --------
    >>> Price.parse("0.15,0.60").of(2_000_000, 1_000_000)
    0.9
    >>> Price.parse("2")
    Price(input=2.0, output=2.0)
    """

    input: float
    output: float

    @classmethod
    def parse(cls, text: str) -> Price:
        """Read ``INPUT,OUTPUT``, or one price for both.

        Raises
        ------
        ArgumentError
            If these are not one or two numbers of at least 0.
        """
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2) or not all(0 <= one < float("inf") for one in numbers):
            expected = "one or two prices per million tokens, such as 0.15,0.60"
            raise ArgumentError("price", expected, repr(text))
        return cls(numbers[0], numbers[-1])

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return what these tokens cost."""
        return (self.input * input_tokens + self.output * output_tokens) / _MILLION


class Meter:
    """Counts the calls of one or more judges. It is used from several threads.

    Parameters
    ----------
    max_calls : int, optional
        Calls after which the budget is spent.
    max_tokens : int, optional
        Tokens, input and output together. A call is not made if its estimate exceeds the rest.
    per_minute : float, optional
        Calls per minute; calls wait for their turn.
    clock, sleep : callable
        For tests.

    Raises
    ------
    ArgumentError
        If a limit is not above 0.
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        for name, limit in (("max_calls", max_calls), ("max_tokens", max_tokens),
                            ("per_minute", per_minute)):  # fmt: skip
            if limit is not None and not limit > 0:
                raise ArgumentError(name, "more than 0", str(limit))
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self.n_calls = self.input_tokens = self.output_tokens = 0
        self._interval = 0.0 if per_minute is None else _MINUTE / per_minute
        self._next_turn = 0.0
        self._reserved = 0
        self._lock = threading.Lock()
        self._clock, self._sleep = clock, sleep

    @property
    def tokens(self) -> int:
        """Tokens so far, input and output together."""
        return self.input_tokens + self.output_tokens

    def begin(self, estimate: int = 0) -> None:
        """Count a call, and wait for its turn.

        Parameters
        ----------
        estimate : int
            Tokens that the call may take, reserved until `end`.

        Raises
        ------
        BudgetSpentError
            If the call would exceed the budget; it is not counted then.
        """
        with self._lock:
            if self.max_calls is not None and self.n_calls >= self.max_calls:
                raise BudgetSpentError(f"the budget of {self.max_calls:,} calls is used up")
            total = self.tokens + self._reserved + estimate
            if self.max_tokens is not None and total > self.max_tokens:
                left = max(0, self.max_tokens - self.tokens - self._reserved)
                message = f"the budget of {self.max_tokens:,} tokens is used up"
                raise BudgetSpentError(f"{message}: {left:,} are left, the next call needs more")
            self.n_calls += 1
            self._reserved += estimate
            now = self._clock()
            turn = max(now, self._next_turn)
            self._next_turn = turn + self._interval
        if turn > now:
            self._sleep(turn - now)

    def end(self, estimate: int = 0, input_tokens: int = 0, output_tokens: int = 0) -> None:
        """Replace the estimate of a call by its tokens."""
        with self._lock:
            self._reserved -= estimate
            self.input_tokens += input_tokens
            self.output_tokens += output_tokens
