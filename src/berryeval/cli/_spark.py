"""Options of the commands that can use Spark, and what they do with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from berryeval.evaluation import Comparison, Evaluation
    from berryeval.spark.session import Cluster

__all__ = ["compared_on_spark", "evaluated_on_spark", "refuse_options", "spark_options"]

Command = TypeVar("Command", bound=Callable[..., Any])


def spark_options(command: Command) -> Command:
    """Give a command ``--engine``, ``--master``, ``--spark-conf`` and ``--tasks``.

    The command gets `cluster`, which is None for the local engine.
    """

    @wraps(command)
    def call(
        engine: str,
        master: str | None,
        spark_conf: tuple[str, ...],
        tasks: int | None,
        **options: Any,  # noqa: ANN401 - of any command
    ) -> None:
        if engine == "local":
            given = {"--master": master, "--spark-conf": spark_conf, "--tasks": tasks}
            for flag, value in given.items():
                if value:
                    raise click.UsageError(f"{flag} requires --engine spark.")
            command(cluster=None, **options)
            return
        from berryeval.spark.session import Cluster

        command(cluster=Cluster(master, _settings(spark_conf), tasks), **options)

    for option in (
        click.option(
            "--tasks",
            type=click.IntRange(min=1),
            metavar="N",
            help="Number of Spark tasks that score queries.  [default: Spark's]",
        ),
        click.option(
            "--spark-conf",
            multiple=True,
            metavar="NAME=VALUE",
            help="Spark setting, such as spark.executor.memory=4g. Repeatable.",
        ),
        click.option(
            "--master",
            metavar="ADDRESS",
            help="Spark cluster, such as yarn, spark://host:7077 or local[*].  [default: Spark's]",
        ),
        click.option(
            "--engine",
            type=click.Choice(["local", "spark"]),
            default="local",
            show_default=True,
            help="Where to score: in this process, or on Apache Spark, with the same result.",
        ),
    ):
        call = option(call)
    return cast("Command", call)


def _settings(texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.UsageError(f"--spark-conf takes NAME=VALUE, not {text!r}.")
        found[name] = value
    return found


def refuse_options(given: Mapping[str, object]) -> None:
    """Raise a usage error for the first option that has a value and that Spark does not support."""
    for flag, value in given.items():
        if value:
            raise click.UsageError(f"{flag} is not available with --engine spark.")


def evaluated_on_spark(
    cluster: Cluster,
    judgments: str,
    runs: Mapping[str, str],
    measures: Any,  # noqa: ANN401 - as evaluate takes them
    options: Mapping[str, Any],
) -> dict[str, Evaluation]:
    """Score runs on Spark, one job each."""
    from berryeval import spark
    from berryeval.evaluation.evaluate import mismatches_of, read_measures
    from berryeval.evaluation.slices import load_queries

    queries = [*load_queries(options["queries"]).values()]
    chosen = read_measures(measures, judged_only=options["judged_only"])
    found = {}
    with _frames(cluster, judgments, runs, options) as (judged, frames):
        for name, frame in frames.items():
            scores = spark.evaluate(judged, frame, chosen, **_how(cluster, options))
            with mismatches_of(name):
                found[name] = spark.collect(
                    scores,
                    chosen,
                    queries=queries,
                    missing=options["missing"],
                    no_relevant=options["no_relevant"],
                )
    return found


@contextmanager
def compared_on_spark(
    cluster: Cluster,
    judgments: str,
    runs: Mapping[str, str],
    measures: Any,  # noqa: ANN401 - as compare takes them
    options: Mapping[str, Any],
) -> Iterator[Comparison]:
    """Compare runs on Spark. Within the block, a gate can look at the rankings."""
    from berryeval import spark

    own = ("duplicates", "judges", "exclude_self")
    others = {name: value for name, value in options.items() if name not in own}
    with _frames(cluster, judgments, runs, options) as (judged, frames):
        yield spark.compare(judged, frames, measures or None, **others, **_how(cluster, options))


def _how(cluster: Cluster, options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "duplicates": options["duplicates"],
        "judges": options["judges"],
        "exclude_self": options["exclude_self"],
        "partitions": cluster.tasks,
    }


@contextmanager
def _frames(
    cluster: Cluster, judgments: str, runs: Mapping[str, str], options: Mapping[str, Any]
) -> Iterator[tuple[DataFrame, dict[str, DataFrame]]]:
    from berryeval.spark.session import open_session, read_frame

    duplicates, judges = options["duplicates"], options["judges"]
    with open_session(cluster.master, cluster.settings) as session:
        judged = read_frame(session, judgments, "judgments", duplicates=duplicates, judges=judges)
        yield (
            judged,
            {
                name: read_frame(session, path, "run", duplicates=duplicates)
                for name, path in runs.items()
            },
        )
