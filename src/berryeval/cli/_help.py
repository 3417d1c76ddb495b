"""How help looks: examples have a heading of their own."""

from __future__ import annotations

import click

__all__ = ["Context", "show_examples"]

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
    """What a command is called with; it shows help in our form."""

    formatter_class = _Formatter


def show_examples(command: click.Command) -> click.Command:
    """Let the help of a command and its subcommands have a heading for examples."""
    command.context_class = Context
    for part in command.commands.values() if isinstance(command, click.Group) else ():
        show_examples(part)
    return command
