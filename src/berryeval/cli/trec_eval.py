"""``berryeval trec_eval``."""

from __future__ import annotations

from typing import Any

import click

from berryeval.errors import InputError, TrecEvalError

__all__ = ["command"]

USAGE = 1


class _Command(click.Command):
    """A command whose exit codes are trec_eval's."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:  # noqa: ANN401
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            error.exit_code = USAGE  # type: ignore[misc]  # click reads the instance's
            raise


class _Failure(click.ClickException):
    def __init__(self, error: TrecEvalError) -> None:
        super().__init__(str(error))
        self.exit_code = error.exit_code  # type: ignore[misc]  # as above


@click.command(
    "trec_eval",
    cls=_Command,
    epilog=(
        "Exit codes, as trec_eval's: 0 done, 1 usage or an unknown measure, 2 a file or parameter "
        "that cannot be used, 4 a query that cannot be scored, 7 no query in both files."
    ),
)
@click.argument("files", metavar="QRELS RUN", nargs=-1)
@click.option(
    "-q", "--query_eval_wanted", "per_query", is_flag=True, help="Print every query, too."
)
@click.option("-n", "--nosummary", "no_summary", is_flag=True, help="Print no means.")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="What to print, as P.5,10, ndcg or all_trec; repeatable.  [default: official]",
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
    "-J", "--Judged_docs_only", "judged_only", is_flag=True, help="Skip what was not judged."
)
@click.option(
    "-M", "--Max_retrieved_per_topic", "most", metavar="N", help="Best documents to look at."
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
    "-R", "--Rel_info_format", "rel_format", default="qrels", metavar="FORMAT", help="qrels only."
)
@click.option(
    "-T",
    "--Results_format",
    "results_format",
    default="trec_results",
    metavar="FORMAT",
    help="trec_results only.",
)
@click.option("-Z", "--Zscore", "z_scores", metavar="FILE", help="Not supported.")
@click.option("-D", "--Debug_level", "debug", metavar="N", help="Not supported.")
@click.option(
    "--compat",
    "version",
    type=click.Choice(["9.0.8", "10.0"]),
    default="9.0.8",
    show_default=True,
    help="The trec_eval to behave as.",
)
def command(files: tuple[str, ...], **flags: Any) -> None:  # noqa: ANN401 - as options are named
    """Print what trec_eval prints for QRELS and RUN.

    The same flags, the same bytes on standard output, the same exit codes.

    \b
    berryeval trec_eval -q -c -M1000 qrels.txt bm25.run
    berryeval trec_eval -m ndcg_cut.5,10 -m map -l2 qrels.txt bm25.run
    berryeval trec_eval --compat 10.0 -m all_trec qrels.txt bm25.run
    """
    from berryeval.trec_eval import Options, read_judgments, read_names, read_run, report
    from berryeval.trec_eval.numbers import atol

    try:
        names = read_names(flags["measures"], flags["version"])
        qrels, run = _files(files, flags)
        options = Options(
            per_query=flags["per_query"],
            summary=not flags["no_summary"],
            complete=flags["complete"],
            judged_only=flags["judged_only"],
            level=atol(_bytes(flags["level"])),
            most=None if flags["most"] is None else atol(_bytes(flags["most"])),
            n_documents=atol(_bytes(flags["n_documents"])),
            version=flags["version"],
        )
        judgments = read_judgments(qrels, options.version)
        for text in report(judgments, read_run(run, options.version), names, options):
            click.echo(text, nl=False)
    except TrecEvalError as error:
        raise _Failure(error) from error


def _files(files: tuple[str, ...], flags: dict[str, Any]) -> tuple[str, str]:
    """Return the two files, or say what of the flags cannot be done."""
    for flag, name in (("-Z", "z_scores"), ("-D", "debug")):
        if flags[name] is not None:
            raise TrecEvalError(f"{flag} is not supported", USAGE)
    if len(files) != 2:  # noqa: PLR2004 - two files
        raise TrecEvalError(f"expected QRELS and RUN, found {len(files)} files", USAGE)
    for flag, name, only in (
        ("-R", "rel_format", "qrels"),
        ("-T", "results_format", "trec_results"),
    ):
        if flags[name] != only:
            raise InputError(f"{flag}: only {only} is supported, found {flags[name]!r}")
    return files[0], files[1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
