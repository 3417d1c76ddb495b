"""Options of commands that ask judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from berryeval.cli._systems import named_settings

if TYPE_CHECKING:
    from berryeval.judges.metering import Meter, Price
    from berryeval.judges.protocol import Judge
    from berryeval.search.limits import Limits

__all__ = ["BUDGET_SPENT", "limits_of_calls", "meter_of", "opened_judge", "price_of"]

BUDGET_SPENT = 6
"""The budget is used up; what was paid for is stored."""

Command = TypeVar("Command", bound=Callable[..., Any])


def judge_options(command: Command) -> Command:
    """Give a command the options of calls: settings, limits, budget and price."""
    options = (
        click.option(
            "-s",
            "--set",
            "settings",
            multiple=True,
            metavar="NAME=VALUE",
            help="Setting of the model, such as temperature=0.2. Repeatable.",
        ),
        click.option(
            "--concurrency",
            type=click.IntRange(min=1),
            default=4,
            show_default=True,
            help="Number of calls at once.",
        ),
        click.option(
            "--rate",
            type=click.FloatRange(min=0, min_open=True),
            metavar="N",
            help="Calls per minute at most.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            default=60.0,
            show_default=True,
            help="Seconds per call.",
        ),
        click.option(
            "--retries",
            type=click.IntRange(min=0),
            default=4,
            show_default=True,
            help="Number of retries after a temporary error, such as 429; the delay that a server "
            "asks for is kept.",
        ),
        click.option(
            "--max-calls",
            type=click.IntRange(min=1),
            metavar="N",
            help="Budget: calls at most, including retries. Exit code 6 if it is used up.",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="Budget: input and output tokens at most.",
        ),
        click.option(
            "--price",
            metavar="IN,OUT",
            help="Prices per million input and output tokens, to show the cost.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def limits_of_calls(timeout: float, retries: int) -> Limits:
    """Return the limits of one call."""
    from berryeval.search.limits import Limits

    return Limits(timeout=timeout, retries=retries)


def meter_of(max_calls: int | None, max_tokens: int | None, rate: float | None) -> Meter:
    """Return the budget and the rate of all calls."""
    from berryeval.judges.metering import Meter

    return Meter(max_calls=max_calls, max_tokens=max_tokens, per_minute=rate)


def price_of(text: str | None) -> Price | None:
    """Return the prices; None if they are not given."""
    from berryeval.judges.metering import Price

    return None if text is None else Price.parse(text)


def opened_judge(name: str, settings: tuple[str, ...], limits: Limits, meter: Meter) -> Judge:
    """Open a judge by name."""
    from berryeval.judges.opening import open_judge

    return open_judge(name, named_settings(settings), limits=limits, meter=meter)
