"""``berryeval dataset``."""

from __future__ import annotations

import click

from berryeval.cli._logging import logging_options
from berryeval.formats.datasets import DATASET_FORMATS

__all__ = ["command"]


@click.command("dataset")
@click.argument("source", metavar="SOURCE")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--format",
    "format_",
    type=click.Choice(DATASET_FORMATS),
    help="Layout of SOURCE.  [default: detected]",
)
@click.option(
    "--split",
    default="test",
    show_default=True,
    help="Split of a folder to read, and name of the judgments to write.",
)
@click.option(
    "--documents",
    metavar="PATH",
    help="For Ragas: the chunks that the retriever searches, to match reference contexts with.",
)
@logging_options()
def command(
    source: str, folder: str, format_: str | None, split: str, documents: str | None
) -> None:
    """Convert questions, or a data set of another tool.

    FOLDER becomes a BEIR folder, which every command reads.
    SOURCE is a file of questions and the ids of documents that answer them, such as a table with
    the columns question and expected_docs; a LlamaIndex file (EmbeddingQAFinetuneDataset), a Ragas
    test set, a folder in the layout of MTEB or Hugging Face, or ir_datasets:NAME.

    \b
    berryeval dataset questions.csv golden/
    berryeval dataset qa_dataset.json qa/
    berryeval dataset testset.csv testset/ --documents chunks.jsonl
    berryeval dataset ir_datasets:beir/scifact/test scifact/
    """
    from berryeval.formats.datasets import read_dataset
    from berryeval.search.documents import iter_any_documents

    known = None if documents is None else iter_any_documents(documents)
    found = read_dataset(source, format=format_, split=split, documents=known)
    found.write(folder, split=split)
    click.echo(f"{folder}: {str(found).partition(': ')[2].rstrip('>')}")
