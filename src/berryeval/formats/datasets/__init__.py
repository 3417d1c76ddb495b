"""Data sets: queries, documents and judgments that belong together, as other tools store them.

One module per layout. Each has ``read(place, split)``, or what its docstring says.
"""

from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.datasets.reading import (
    DATASET_FORMATS,
    has_expected_documents,
    read_dataset,
)

__all__ = ["DATASET_FORMATS", "Dataset", "has_expected_documents", "read_dataset"]
