"""Files of judgments, runs, queries and documents.

One module per format: its grammar, how it is read and written.
"""

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of
from berryeval.core.judging import Judges
from berryeval.formats.reading import read_judgments, read_run
from berryeval.formats.registry import FORMATS
from berryeval.formats.rows import Duplicates

if TYPE_CHECKING:
    from berryeval.formats.corpus import iter_documents, read_documents, write_documents
    from berryeval.formats.datasets import DATASET_FORMATS, Dataset, read_dataset
    from berryeval.formats.queries import QUERY_FORMATS, read_queries, write_queries
    from berryeval.formats.writing import write_judgments, write_run

__all__ = [
    "DATASET_FORMATS",
    "FORMATS",
    "QUERY_FORMATS",
    "Dataset",
    "Duplicates",
    "Judges",
    "iter_documents",
    "read_dataset",
    "read_documents",
    "read_judgments",
    "read_queries",
    "read_run",
    "write_documents",
    "write_judgments",
    "write_queries",
    "write_run",
]

# Not needed for scoring a run.
__getattr__ = loader_of(
    __name__,
    {
        "DATASET_FORMATS": "berryeval.formats.datasets",
        "Dataset": "berryeval.formats.datasets",
        "QUERY_FORMATS": "berryeval.formats.queries",
        "iter_documents": "berryeval.formats.corpus",
        "read_dataset": "berryeval.formats.datasets",
        "read_documents": "berryeval.formats.corpus",
        "read_queries": "berryeval.formats.queries",
        "write_documents": "berryeval.formats.corpus",
        "write_judgments": "berryeval.formats.writing",
        "write_queries": "berryeval.formats.queries",
        "write_run": "berryeval.formats.writing",
    },
)
