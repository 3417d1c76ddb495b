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
@click.option(
    "--question",
    metavar="COLUMN",
    help="Column of SOURCE with the question.  [default: question or the like]",
)
@click.option(
    "--relevant",
    metavar="COLUMN",
    help="Column of SOURCE with the ids of documents that answer the question.  "
    "[default: expected_docs or the like]",
)
@click.option(
    "--id",
    "id_",
    metavar="COLUMN",
    help="Column of SOURCE with the id of the question.  [default: id or the like, else numbers]",
)
@logging_options()
def command(
    source: str,
    folder: str,
    format_: str | None,
    split: str,
    documents: str | None,
    question: str | None,
    relevant: str | None,
    id_: str | None,
) -> None:
    """Convert questions, or a data set of another tool.

    FOLDER becomes a BEIR folder, which every command reads.
    SOURCE is a file of questions and the ids of documents that answer them, such as a table with
    the columns question and expected_docs; columns with other names are recognised by words in
    them, such as "Customer question", or named by options. It may also be a LlamaIndex file
    (EmbeddingQAFinetuneDataset), a Ragas test set, a folder in the layout of MTEB or Hugging Face,
    or ir_datasets:NAME.

    \b
    berryeval dataset questions.csv golden/
    berryeval dataset faq.csv golden/ --question Frage --relevant Artikel
    berryeval dataset qa_dataset.json qa/
    berryeval dataset testset.csv testset/ --documents chunks.jsonl
    berryeval dataset ir_datasets:beir/scifact/test scifact/
    """
    from berryeval.formats.datasets import read_dataset
    from berryeval.search.documents import iter_any_documents

    known = None if documents is None else iter_any_documents(documents)
    named = {"question": question, "relevant": relevant, "id": id_}
    columns = {name: column for name, column in named.items() if column is not None}
    found = read_dataset(source, format=format_, split=split, documents=known, columns=columns)
    found.write(folder, split=split)
    for caution in found.cautions:
        click.echo(f"Caution: {caution}.", err=True)
    click.echo(f"{folder}: {str(found).partition(': ')[2].rstrip('>')}")
