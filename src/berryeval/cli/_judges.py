"""Options of commands that ask judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from berryeval.cli._systems import named_settings

if TYPE_CHECKING:
    from berryeval.judges.metering import Meter, Price
    from berryeval.judges.protocol import Judge
    from berryeval.search.limits import Limits

__all__ = ["BUDGET_SPENT", "JudgeCalls", "judge_options", "price_option", "warn_of_guideline"]

BUDGET_SPENT = 6
"""The budget is used up; what was paid for is stored."""

Command = TypeVar("Command", bound=Callable[..., Any])


def _read_price(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Price | None:
    from berryeval.judges.metering import Price

    return None if text is None else Price.parse(text)


price_option = click.option(
    "--price",
    metavar="IN,OUT",
    callback=_read_price,
    help="Prices per million input and output tokens, to show the cost.",
)


@dataclass(frozen=True)
class JudgeCalls:
    """The calls of a command to a judge or a model: their settings, limits, budget and price."""

    settings: dict[str, str]
    concurrency: int
    limits: Limits
    """The limits of one call."""
    meter: Meter
    """The budget and the rate of all calls, and what was used so far."""
    price: Price | None
    """None if it is not given."""

    def open_judge(self, name: str, settings: dict[str, str] | None = None) -> Judge:
        """Open a judge by name, with the settings of the command unless others are given."""
        from berryeval.judges.opening import open_judge

        own = self.settings if settings is None else settings
        return open_judge(name, own, limits=self.limits, meter=self.meter)

    @property
    def cost(self) -> float | None:
        """The cost so far; None without a price."""
        if self.price is None:
            return None
        return self.price.of(self.meter.input_tokens, self.meter.output_tokens)


def judge_options(command: Command) -> Command:
    """Give a command the options of calls: settings, limits, budget and price.

    The command gets `calls`.
    """

    @wraps(command)
    def call(
        settings: tuple[str, ...],
        concurrency: int,
        rate: float | None,
        timeout: float,
        retries: int,
        max_calls: int | None,
        max_tokens: int | None,
        price: Price | None,
        **options: Any,  # noqa: ANN401 - of any command
    ) -> None:
        from berryeval.judges.metering import Meter
        from berryeval.search.limits import Limits

        calls = JudgeCalls(
            named_settings(settings),
            concurrency,
            Limits(timeout=timeout, retries=retries),
            Meter(max_calls=max_calls, max_tokens=max_tokens, per_minute=rate),
            price,
        )
        command(calls=calls, **options)

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
            help="Maximum number of calls per minute.",
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
            help="Number of retries after a temporary error, such as 429. A delay that the server "
            "asks for is respected.",
        ),
        click.option(
            "--max-calls",
            type=click.IntRange(min=1),
            metavar="N",
            help="Budget: maximum number of calls, including retries. Exit code 6 if it is "
            "used up.",
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="Budget: maximum number of input and output tokens.",
        ),
        price_option,
    )
    for option in reversed(options):
        call = option(call)
    return cast("Command", call)


def warn_of_guideline(own: str, there: str) -> None:
    """Note that an archive keeps its guideline, if that of the golden set differs."""
    if own and there and own != there:
        kept = (
            "The archive has another guideline, which was kept; checks under this one have expired"
        )
        click.echo(f"{kept} there. The page Rule and scale of the workbench replaces it.", err=True)
