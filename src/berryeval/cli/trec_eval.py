"""``berryeval trec_eval``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from berryeval import __version__
from berryeval.errors import InputError, TrecEvalError

if TYPE_CHECKING:
    from berryeval.trec_eval import Options

__all__ = ["command"]

USAGE = 1

_AT_ONCE = 200
"""How many queries are printed at once."""

_OURS = ("--compat",)
"""Long flags that trec_eval does not have, which no flag of its own is short for."""


class _Command(click.Command):
    """A command with trec_eval's exit codes, whose long flags can be abbreviated."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:  # noqa: ANN401
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            error.exit_code = USAGE  # type: ignore[misc]  # click reads the instance's
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*map(self._in_full, args[:end]), *args[end:]])

    def _in_full(self, word: str) -> str:
        """Return the full form of an abbreviated long flag, as getopt does."""
        known = [flag for parameter in self.params for flag in parameter.opts]
        flag, sign, value = word.partition("=")
        if not flag.startswith("--") or flag in known:
            return word
        fitting = [name for name in known if name.startswith(flag) and name not in _OURS]
        return fitting[0] + sign + value if len(fitting) == 1 else word


class _Failure(click.ClickException):
    def __init__(self, error: TrecEvalError) -> None:
        super().__init__(str(error))
        self.exit_code = error.exit_code  # type: ignore[misc]  # as above


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the version on standard error, as trec_eval does."""
    if wanted:
        click.echo(f"trec_eval version 9.0.8, or 10.0, by berryeval {__version__}", err=True)
        ctx.exit(0)


@click.command(
    "trec_eval",
    cls=_Command,
    add_help_option=False,
    epilog=(
        "Long flags can be abbreviated. Exit codes, as in trec_eval: 0 done, 1 usage or unknown "
        "measure, 2 unusable file or parameter, 4 query that cannot be scored, 7 no query in both "
        "files, 255 unusable file for -Z."
    ),
)
@click.argument("files", metavar="QRELS RUN", nargs=-1)
@click.option(
    "-q", "--query_eval_wanted", "per_query", is_flag=True, help="Also print every query."
)
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Do not print means.")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="Measure to print, such as P.5,10, ndcg or all_trec. Repeatable.  [default: official]",
)
@click.option(
    "-c",
    "--complete_rel_info_wanted",
    "complete",
    is_flag=True,
    help="Average over all queries of QRELS.",
)
@click.option(
    "-l", "--level_for_rel", "level", default="1", metavar="N", help="Lowest relevant grade."
)
@click.option(
    "-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Ignore unjudged documents."
)
@click.option(
    "-M",
    "--Max_retrieved_per_topic",
    "most",
    metavar="N",
    help="Maximum number of documents per query.",
)
@click.option(
    "-N",
    "--Number_docs_in_coll",
    "n_documents",
    default="0",
    metavar="N",
    help="Size of the collection, for utility.",
)
@click.option(
    "-R",
    "--Rel_info_format",
    "rel_format",
    default="qrels",
    metavar="FORMAT",
    help="Format of QRELS: qrels, qrels_jg, prefs or qrels_prefs.",
)
@click.option(
    "-T",
    "--Results_format",
    "results_format",
    default="trec_results",
    metavar="FORMAT",
    help="Format of RUN: trec_results.",
)
@click.option(
    "-Z",
    "--Zscore",
    "z_scores",
    metavar="FILE",
    help="Print deviations from the means in FILE: query, measure, mean, deviation.",
)
@click.option(
    "-D",
    "--Debug_level",
    "debug",
    default="0",
    metavar="N[.QUERY]",
    help="Score only QUERY. The level N is ignored.",
)
@click.option("-o", "obsolete", is_flag=True, help="No effect, as in trec_eval.")
@click.option(
    "--Output_old_results_format", "_obsolete", metavar="TEXT", help="No effect, as in trec_eval."
)
@click.option(
    "--compat",
    "version",
    type=click.Choice(["9.0.8", "10.0"]),
    default="9.0.8",
    show_default=True,
    help="Version of trec_eval to reproduce.",
)
@click.option(
    "-v",
    "--version",
    "tell_version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
@click.option(
    "-h",
    "--help",
    "help_wanted",
    is_flag=True,
    help="Show this message, and explain the measures of -m.",
)
def command(files: tuple[str, ...], **flags: Any) -> None:  # noqa: ANN401 - as options are named
    """Print exactly what trec_eval prints for QRELS and RUN.

    Flags, standard output and exit codes are those of trec_eval.

    \b
    berryeval trec_eval -q -c -M1000 qrels.txt bm25.run
    berryeval trec_eval -m ndcg_cut.5,10 -m map -l2 qrels.txt bm25.run
    berryeval trec_eval -R qrels_jg -m qrels_jg judges.txt bm25.run
    berryeval trec_eval --compat 10.0 -m all_trec qrels.txt bm25.run
    """
    from berryeval.trec_eval import read_judgments, read_names, read_run, report, report_files

    try:
        names = read_names(flags["measures"], flags["version"])
        if flags["help_wanted"]:
            _help(names if flags["measures"] else {}, flags)
            return
        qrels, run = _files(files, flags)
        texts = None
        if flags["z_scores"] is None:
            texts = report_files(qrels, run, names, _options(flags))
        if texts is None:
            judgments = read_judgments(qrels, flags["version"], flags["rel_format"])
            ranked = read_run(run, flags["version"])
            texts = report(judgments, ranked, names, _options(flags))
        _print(texts)
    except TrecEvalError as error:
        raise _Failure(error) from error


def _options(flags: dict[str, Any]) -> Options:
    """Return what the flags mean; the file of -Z is read."""
    from berryeval.trec_eval import Options, read_z_scores
    from berryeval.trec_eval.lines import atol

    _, is_one, query = flags["debug"].partition(".")
    z_scores = flags["z_scores"]
    return Options(
        per_query=flags["per_query"],
        summary=not flags["no_summary"],
        complete=flags["complete"],
        judged_only=flags["judged_only"],
        level=atol(_bytes(flags["level"])),
        most=None if flags["most"] is None else atol(_bytes(flags["most"])),
        n_documents=atol(_bytes(flags["n_documents"])),
        format=flags["rel_format"],
        z_scores=None if z_scores is None else read_z_scores(z_scores),
        only=_bytes(query) if is_one else None,
        version=flags["version"],
    )


def _print(texts: Iterable[bytes]) -> None:
    """Print many texts in few pieces; those before an error, too."""
    waiting: list[bytes] = []
    try:
        for text in texts:
            waiting.append(text)
            if len(waiting) == _AT_ONCE:
                click.echo(b"".join(waiting), nl=False)
                waiting.clear()
    finally:
        click.echo(b"".join(waiting), nl=False)


def _help(names: dict[str, str | None], flags: dict[str, Any]) -> None:
    """Show the flags, the format of QRELS, and the measures that are named."""
    from berryeval.trec_eval.names import explain_all

    click.echo(click.get_current_context().get_help())
    for line in explain_all(flags["rel_format"], names):
        click.echo(f"\n{line}")


def _files(files: tuple[str, ...], flags: dict[str, Any]) -> tuple[str, str]:
    """Return the two files, or raise for flags that are not supported."""
    from berryeval.trec_eval.names import FORMATS

    if len(files) != 2:  # noqa: PLR2004 - two files
        raise TrecEvalError(f"expected QRELS and RUN, found {len(files)} files", USAGE)
    for flag, name, known in (
        ("-R", "rel_format", tuple(FORMATS)),
        ("-T", "results_format", ("trec_results",)),
    ):
        if flags[name] not in known:
            raise InputError(f"{flag}: expected {' or '.join(known)}, found {flags[name]!r}")
    return files[0], files[1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
