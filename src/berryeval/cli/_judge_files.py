"""``berryeval judge draw``, ``export``, ``show`` and ``upload``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from berryeval.cli._judges import price_option, warn_of_guideline
from berryeval.cli._options import named_runs
from berryeval.cli._output import output_options, write_output, write_tables
from berryeval.errors import hide_password

if TYPE_CHECKING:
    from berryeval.core.run import Run
    from berryeval.evaluation.label_draw import LabelDraw
    from berryeval.golden.golden_set import GoldenSet
    from berryeval.judges.metering import Price

__all__ = ["draw", "export", "show", "upload"]

FORMATS = ("table", "json", "markdown")
_SHOWN = 3

_golden_option = click.option(
    "--golden", metavar="FOLDER", required=True, help="Golden set with the grades of the judge."
)
_judge_option = click.option(
    "--judge",
    "judge_name",
    metavar="NAME",
    help="Name of the judge, as `judge show` lists it.  [default: the only admitted one]",
)


@click.command("draw")
@_golden_option
@click.option(
    "-n", "n_queries", type=click.IntRange(min=2), required=True, help="Number of queries."
)
@click.option(
    "--by",
    "label",
    type=click.Choice(["category", "difficulty"]),
    help="Draw separately for each value of this label, for slices by it.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="Run to be compared, as FILE or NAME=FILE, baseline first. Repeatable. With --by, more "
    "queries are drawn where the differences that the judge sees vary more.",
)
@click.option(
    "--to-judge",
    metavar="FILE",
    help="CSV file to write: what the runs return for the drawn queries and people have not judged "
    "yet, with texts and an empty grade. Filled in, it is a file of judgments. Requires --run.",
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of ranks of each run to judge, at least the cutoff of the measures.",
)
@_judge_option
@click.option(
    "--proportional",
    "is_proportional",
    is_flag=True,
    help="With --by, draw in proportion to the number of queries of each value, whatever the judge "
    "sees.",
)
@click.option(
    "--chosen",
    multiple=True,
    metavar="QUERY",
    help="Id of a query to label regardless of the draw, because the result depends on it or its "
    "labels were used to tune the prompt. It does not count towards N, and corrects no other "
    "query. Repeatable.",
)
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="File to write, such as draw.json."
)
def draw(
    golden: str,
    n_queries: int,
    label: str | None,
    runs: tuple[str, ...],
    to_judge: str | None,
    k: int,
    judge_name: str | None,
    is_proportional: bool,
    chosen: tuple[str, ...],
    output: str,
) -> None:
    """Draw queries at random for people to judge completely.

    People do not choose the queries. Without --by, a larger N keeps those of a smaller one. With
    --by, each value gets at least 10 queries, or all that it has: by Neyman's allocation if an
    admitted judge has graded the first 10 of each --run, otherwise in proportion to the number of
    its queries. People judge everything that the compared runs return for these queries.
    `berryeval compare` and `gate` read the file as --label-draw.

    \b
    berryeval judge draw --golden golden/ -n 50 -o draw.json
    berryeval judge draw --golden golden/ -n 50 -o draw.json --run old.run --run new.run \\
        --to-judge to_judge.csv
    berryeval judge draw --golden golden/ -n 100 --by category --run old.run --run new.run \\
        -o draw.json
    """
    from pathlib import Path

    from berryeval.errors import ArgumentError
    from berryeval.evaluation.sources import load_run
    from berryeval.golden.reading import read_golden_set
    from berryeval.suite.allocated_draws import draw_from_golden_set

    if to_judge is not None and not runs:
        raise click.UsageError("--to-judge requires --run.")
    if to_judge is not None and Path(to_judge).exists():
        expected = "a new file, since this one may have grades"
        raise ArgumentError("to_judge", expected, repr(to_judge))
    loaded = {name: load_run(path) for name, path in named_runs(runs).items()} if runs else {}
    opened = read_golden_set(golden, strict=False)  # people may not have judged anything yet
    drawn = draw_from_golden_set(
        opened, n_queries,
        by=label, runs=loaded, judge=judge_name, chosen=chosen, is_proportional=is_proportional,
    )  # fmt: skip
    drawn.save(output)
    shown = ", ".join(sorted(drawn.labelled)[:_SHOWN])
    click.echo(f"Drew {len(drawn.labelled):,} of {len(drawn.strata):,} queries, such as {shown}.")
    if label is not None:
        click.echo(drawn.why)
        for stratum, (n_drawn, n) in drawn.counts.items():
            spread = drawn.spreads.get(stratum)
            known = "" if spread is None else f", spread {spread:.3f}"
            click.echo(f"  {stratum}: {n_drawn:,} of {n:,}{known}")
    if to_judge is not None:
        _write_pairs(opened, drawn, loaded, k, to_judge)


def _write_pairs(
    golden: GoldenSet, drawn: LabelDraw, runs: Mapping[str, Run], k: int, path: str
) -> None:
    from berryeval.core.files import write_whole
    from berryeval.reports.judging import pairs_to_csv
    from berryeval.reports.wording import count
    from berryeval.suite.pairs_to_label import pairs_to_label

    pairs = pairs_to_label(golden, drawn, runs, k=k)
    write_whole(path, [pairs_to_csv(pairs).encode()])
    n_queries = len({pair.query.query_id for pair in pairs})
    shown = f"{count(len(pairs), 'pair')} of {count(n_queries, 'query', 'queries')}"
    click.echo(f"For people to judge: {shown}, in {path}.")


@click.command("export")
@_golden_option
@click.option(
    "--run",
    "runs",
    multiple=True,
    required=True,
    metavar="RUN",
    help="Run to be compared, as FILE or NAME=FILE. Repeatable.",
)
@click.option(
    "-k",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of ranks of each run, at least the cutoff of the measures.",
)
@_judge_option
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="Judgments to write, in any format."
)
def export(golden: str, runs: tuple[str, ...], k: int, judge_name: str | None, output: str) -> None:
    """Export the grades of an admitted judge for everything that runs return.

    `berryeval compare` and `gate` read the file as --model-judgments, and correct it by people's
    judgments. Fails unless the judge is admitted and has graded the first K of all runs: its
    score of a query must be based on the same documents whether or not people judged the query.
    A pair that the judge could not judge gets grade -1, which gains nothing. Sends nothing.

    \b
    berryeval judge export --golden golden/ --run old.run --run new.run -o model.jsonl
    berryeval compare golden/ old.run new.run --model-judgments model.jsonl --label-draw draw.json
    """
    from berryeval.evaluation.sources import load_run
    from berryeval.formats import write_judgments
    from berryeval.golden.reading import read_golden_set
    from berryeval.reports.wording import count
    from berryeval.suite.counted_grades import NOT_JUDGED, grades_of_pool

    loaded = {name: load_run(path) for name, path in named_runs(runs).items()}
    found = grades_of_pool(read_golden_set(golden), loaded, k=k, judge=judge_name)
    write_judgments(found, output)
    n_declined = sum(grade < 0 for grade in found.values)
    n_graded = found.n_rows - n_declined
    click.echo(f"Exported {n_graded:,} model judgments of {found.n_queries:,} queries.")
    if n_declined:
        declined = f"{count(n_declined, 'pair')} that the judge could not judge"
        click.echo(f"Written as {NOT_JUDGED:g}, which gains nothing: {declined}.")


@click.command("show")
@_golden_option
@price_option
@output_options(FORMATS)
def show(golden: str, price: Price | None, output: str | None, output_format: str) -> None:
    """Show the judges of a golden set, what they did, and whether they count.

    Lists grades, calls and tokens so far, the admission of each judge, and whether its grades
    changed when it was asked again. Sends nothing.

    \b
    berryeval judge show --golden golden/ --price 0.10,0.40
    """
    from berryeval.golden.reading import read_golden_set
    from berryeval.reports.judging import judges_table, judges_to_json
    from berryeval.suite.judge_overview import judges_of

    found = judges_of(read_golden_set(golden))
    if output_format == "json":
        write_output(judges_to_json(found, price), output)
    else:
        write_tables([judges_table(found, price)], output, output_format)


@click.command("upload")
@_golden_option
@click.option(
    "--archive",
    metavar="ARCHIVE",
    required=True,
    help="Address of a service, such as http://127.0.0.1:8765, or an archive: a SQLite file or "
    "postgresql://user@host/database.",
)
@click.option(
    "--token",
    envvar="BERRYEVAL_TOKEN",
    metavar="TOKEN",
    help="Token of the service, with the role admin.",
)
@click.option(
    "--label-draw",
    "draws",
    multiple=True,
    metavar="FILE",
    help="File written by `judge draw`; the draw gets the name of the file. Repeatable.",
)
def upload(golden: str, archive: str, token: str | None, draws: tuple[str, ...]) -> None:
    """Upload the grades and checks of judges to an archive or a service.

    The workbench then shows each judge with its calibration, and people decide on proposed
    queries. Grades are kept apart from the judgments of people, and count as they do in the golden
    set, under the same guideline and scale. Existing records are not sent again, and an
    existing guideline is kept. Documents, queries and judgments are imported with
    `berryeval golden import`.

    \b
    berryeval judge upload --golden golden/ --archive http://127.0.0.1:8765
    berryeval judge upload --golden golden/ --archive berryeval.db --label-draw draw.json
    """
    from pathlib import Path

    from berryeval.evaluation.label_draw import LabelDraw
    from berryeval.golden.reading import read_golden_set
    from berryeval.reports.wording import count

    opened = read_golden_set(golden)
    loaded = {Path(path).stem: LabelDraw.read(path) for path in draws}
    if archive.startswith(("http://", "https://")):
        numbers = _send(opened, loaded, archive, token)
    else:
        numbers = _store(opened, loaded, archive)
    n_others = numbers["other proposals"]
    shown = ", ".join([
        count(numbers["model grades"], "grade"),
        count(numbers["checks of judges"], "check"),
        count(numbers["proposed queries"], "proposed query", "proposed queries"),
        *([count(n_others, "other proposal")] if n_others else []),
        *([count(len(loaded), "draw")] if loaded else []),
    ])  # fmt: skip
    click.echo(f"Uploaded to {hide_password(archive)}; new: {shown}.")


def _send(
    golden: GoldenSet, draws: Mapping[str, LabelDraw], url: str, token: str | None
) -> dict[str, int]:
    from berryeval.client import Client
    from berryeval.suite.golden_archive import JudgedSet

    judged = JudgedSet.of(golden)
    with Client(url, token) as client:
        policy = client.judgments.policy()
        if judged.guideline and not policy["guideline"]:
            client.judgments.set_policy(policy["rule"], policy["labels"], judged.guideline)
        warn_of_guideline(judged.guideline, policy["guideline"])
        for name, drawn in draws.items():
            client.label_draws.put(name, drawn)
        return {
            "model grades": client.judges.put_grades(judged.grades)["new"],
            "checks of judges": client.judges.put_checks(judged.admissions)["new"],
            **{
                name: client.proposals.put(some)["new"]
                for name, some in judged.proposals_by_kind.items()
            },
        }


def _store(golden: GoldenSet, draws: Mapping[str, LabelDraw], location: str) -> dict[str, int]:
    from berryeval.archive import Archive
    from berryeval.suite.golden_archive import IMPORTED, import_judges
    from berryeval.suite.judged_pairs import guideline_text_of

    with Archive.open(location) as opened:
        for name, drawn in draws.items():
            opened.label_draws.put(name, drawn, created_by=IMPORTED)
        numbers = import_judges(opened, golden)
        warn_of_guideline(guideline_text_of(golden), opened.judging.get().guideline)
    return numbers
