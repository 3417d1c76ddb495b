"""``berryeval examples``."""

from __future__ import annotations

import click

__all__ = ["command"]

_CONTENTS = {
    "runs": "judgments and two runs of 60 queries",
    "rag_project": "a RAG retriever to put under a gate",
    "search_project": "a project that tests its own search with pytest",
    "notebooks": "the tutorials as notebooks",
    "pretend_model.py": "a program that stands in for a language model, to try judging",
    "two_search_engines.py": "the search engines behind the runs",
}


@click.command("examples")
@click.argument("folder", default="examples")
@click.option("--force", is_flag=True, help="Replace existing files.")
def command(folder: str, force: bool) -> None:
    """Copy the example files of the documentation into FOLDER.

    FOLDER is `examples` by default, which is the name that the commands in the documentation use.

    \b
    berryeval examples
    berryeval examples tutorial/
    """
    from berryeval.suite.examples import copy_examples

    copies = copy_examples(folder, force=force)
    where = folder.rstrip("/")
    click.echo(f"Wrote {len(copies)} files into {where}:")
    width = max(map(len, _CONTENTS))
    for name, content in _CONTENTS.items():
        click.echo(f"  {name:<{width}}  {content}")
    runs = f"{where}/runs"
    click.echo(f"Next: berryeval compare {runs}/qrels.txt {runs}/words.run {runs}/stems.run")
