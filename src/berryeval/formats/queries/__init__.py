"""Files of queries. One module per format: its grammar, how it is read and written."""

from berryeval.formats.queries.log import iter_log
from berryeval.formats.queries.reading import QUERY_FORMATS, read_queries
from berryeval.formats.queries.weighing import write_weights
from berryeval.formats.queries.writing import write_queries

__all__ = ["QUERY_FORMATS", "iter_log", "read_queries", "write_queries", "write_weights"]
