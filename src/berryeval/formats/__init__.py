"""Files of judgments and runs. One module a format: its grammar, and how it is read."""

from berryeval.formats._rows import Duplicates
from berryeval.formats.reading import FORMATS, read_judgments, read_run

__all__ = ["FORMATS", "Duplicates", "read_judgments", "read_run"]
