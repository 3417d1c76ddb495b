"""Calling ``berryeval trec_eval`` in a folder with qrels and a run."""

from click.testing import CliRunner

from berryeval.cli import main

QRELS = "q1 0 d1 2\nq1 0 d2 1\nq1 0 d4 0\nq1 0 d5 -1\nq2 0 d3 1\nq3 0 d1 1\n"
RUN = (
    "q2 Q0 d3 1 1 first\n\nq1 Q0 d4 1 3 first\nq1 Q0 d2 2 2 first extra\nq1 Q0 d9 9 1 first\n"
    "q1 Q0 d5 9 0.5 first\nq9 Q0 d1 1 1 last\n"
)


def write(name: str, text: str) -> None:
    with open(name, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123 - as it comes
        file.write(text)


def trec_eval(*arguments: str, files=("qrels", "run"), stdin: str | None = None):
    return CliRunner().invoke(
        main, ["trec_eval", *arguments, *files], input=stdin, prog_name="berryeval"
    )


def printed(*arguments: str, **options) -> dict[tuple[str, str], str]:
    """Return the printed values by measure and query."""
    result = trec_eval(*arguments, **options)
    assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    return {(name.rstrip(), query): value for name, query, value in rows}


def refused(*arguments: str, **options) -> tuple[int, str]:
    """Return the exit code, and the message without click's prefix."""
    result = trec_eval(*arguments, **options)
    assert result.stdout == ""
    return result.exit_code, result.stderr.splitlines()[-1].removeprefix("Error: ")
