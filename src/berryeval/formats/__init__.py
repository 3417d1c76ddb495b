"""Files of judgments and runs. One module a format: its grammar, how it is read and written."""

from berryeval.formats._rows import Duplicates
from berryeval.formats.reading import FORMATS, read_judgments, read_run
from berryeval.formats.writing import write_judgments, write_run

__all__ = [
    "FORMATS",
    "Duplicates",
    "read_judgments",
    "read_run",
    "write_judgments",
    "write_run",
]
