"""The command line: ``berryeval COMMAND``. One module per command: parse, call, render."""

from __future__ import annotations

import importlib
import io
import sys
from typing import Any

import click

from berryeval import __version__
from berryeval.cli._help import Context, show_examples
from berryeval.core.inputs import keep_inputs
from berryeval.errors import ArchiveError, BerryEvalError, SystemUnderTestError

__all__ = ["ARCHIVE_FAILED", "BAD_INPUT", "BUG", "INTERRUPTED", "SYSTEM_FAILED", "main"]

# Exit codes; ``berryeval trec_eval`` has those of trec_eval.
BAD_INPUT = 2
SYSTEM_FAILED = 4
"""The system under test failed."""
ARCHIVE_FAILED = 5
"""An archive cannot be used: its disk is full, its database is out of reach."""
BUG = 70
"""What should not happen, as in BSD's sysexits."""
INTERRUPTED = 130

# Modules of commands are imported when they are called: none waits for the imports of another.
_GROUPS = {
    "Score": ("evaluate", "sessions", "trec_eval", "measures", "inspect", "convert", "dataset"),
    "Compare": ("compare", "explain", "overlap", "agree", "fuse", "history"),
    "Decide": ("init", "gate", "baseline", "power"),
    "Search": ("demo", "examples", "quality", "retrieve", "tune"),
    "Judge": ("golden", "holes", "judge"),
    "Serve": ("serve", "archive", "token"),
    "About": ("version",),
}
_COMMANDS = frozenset(name for names in _GROUPS.values() for name in names)
_ALIASES = {"metrics": "measures"}
_INDENTATION = 6
"""Columns of a line in the list of commands, in addition to the name and the text."""


class _Failure(click.ClickException):
    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads the instance's


class _LazyGroup(click.Group):
    context_class = Context

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = formatter.width - _INDENTATION - max(map(len, _COMMANDS))
        for heading, names in _GROUPS.items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                assert command is not None
                rows.append((name, command.get_short_help_str(width)))
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=max(map(len, _COMMANDS)))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = _ALIASES.get(cmd_name, cmd_name)
        if name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"berryeval.cli.{name}")
        return show_examples(module.command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib  # slow to import, and most names are known

            near = difflib.get_close_matches(args[0], [*_COMMANDS, *_ALIASES], n=1)
            if not near or "Did you mean" in error.message:  # newer versions of click suggest it
                raise
            message = f"{error.message} Did you mean {near[0]!r}?"
            raise click.UsageError(message, error.ctx) from error

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:  # noqa: ANN401 - click's signature
        """Read the options; click itself would exit with 1 when interrupted here."""
        try:
            return super().make_context(*arguments, **options)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            raise SystemExit(INTERRUPTED) from None

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        try:
            _show_every_id()
            with keep_inputs():
                return super().invoke(ctx)
        except BerryEvalError as error:
            raise _Failure(self._message(error, ctx), _exit_code_of(error)) from error
        except OSError as error:
            raise _Failure(f"cannot write: {error.strerror}", BAD_INPUT) from error
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)

    def _message(self, error: BerryEvalError, ctx: click.Context) -> str:
        """Return the text of an error, and where the command takes the setting it suggests."""
        name = ctx.invoked_subcommand
        command = None if name is None or error.setting is None else self.get_command(ctx, name)
        if command is None:
            return str(error)
        from berryeval.cli._systems import suggested

        return f"{error}{suggested(error.setting, command)}"


def _exit_code_of(error: BerryEvalError) -> int:
    if isinstance(error, SystemUnderTestError):
        return SYSTEM_FAILED
    return ARCHIVE_FAILED if isinstance(error, ArchiveError) else BAD_INPUT


def _show_every_id() -> None:
    """Let standard output take ids that its encoding cannot represent.

    Bytes that are not UTF-8 are written unchanged; other encodings get escapes as in Python's
    literals.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        is_utf_8 = sys.stdout.encoding.lower().replace("_", "-") in ("utf-8", "utf8")
        sys.stdout.reconfigure(errors="surrogateescape" if is_utf_8 else "backslashreplace")


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
    epilog="Exit codes: 0 done or pass, 1 fail, 2 bad input or not comparable, 3 inconclusive, "
    "4 the system under test or a judge failed, 5 the archive failed, 6 the budget is used up, "
    "130 interrupted.",
)
@click.version_option(__version__, "-V", "--version", message="berryeval %(version)s")
def main() -> None:
    """Measure the quality of search and RAG retrieval."""
