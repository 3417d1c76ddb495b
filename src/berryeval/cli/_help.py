"""Formatting of help: examples have their own heading, and long lists of options several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

__all__ = ["Context", "GroupedCommand", "show_examples"]

_UNWRAPPED = "\b"
_EXAMPLE = "berryeval "


class _Formatter(click.HelpFormatter):
    """Writes the paragraphs that hold commands below the heading ``Examples``."""

    def write_text(self, text: str) -> None:
        paragraphs = text.split("\n\n")
        examples = [one for one in paragraphs if _is_example(one)]
        super().write_text("\n\n".join(one for one in paragraphs if one not in examples))
        if examples:
            with self.section("Examples"):
                super().write_text("\n\n".join(examples))


def _is_example(paragraph: str) -> bool:
    first, _, rest = paragraph.strip(" \n").partition("\n")
    return first == _UNWRAPPED and rest.lstrip().startswith(_EXAMPLE)


class Context(click.Context):
    """The context of a command, which formats its help."""

    formatter_class = _Formatter


class GroupedCommand(click.Command):
    """A command whose options are listed below headings.

    Parameters
    ----------
    headings : mapping of str to tuple of str
        The flags below each heading, in the order of the help. Other options follow.
    """

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - as click takes them
        headings: Mapping[str, tuple[str, ...]],
        **options: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*arguments, **options)
        self.headings = headings

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, below their headings."""
        rest = {
            parameter.opts[-1]: record
            for parameter in self.get_params(ctx)
            if (record := parameter.get_help_record(ctx)) is not None
        }
        for heading, flags in self.headings.items():
            with formatter.section(heading):
                formatter.write_dl([rest.pop(flag) for flag in flags])
        with formatter.section("Other options"):
            formatter.write_dl(list(rest.values()))


def show_examples(command: click.Command) -> click.Command:
    """Let the help of a command and its subcommands have a heading for examples."""
    command.context_class = Context
    for part in command.commands.values() if isinstance(command, click.Group) else ():
        show_examples(part)
    return command
