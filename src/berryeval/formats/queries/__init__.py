"""Files of queries. One module per format: its grammar, how it is read and written."""

from berryeval.formats.queries._records import ID, TEXT, has_keys
from berryeval.formats.queries.files import QUERY_FORMATS, read_queries, write_queries
from berryeval.formats.queries.log import iter_log
from berryeval.formats.queries.weighting import write_weights

__all__ = [
    "ID",
    "QUERY_FORMATS",
    "TEXT",
    "has_keys",
    "iter_log",
    "read_queries",
    "write_queries",
    "write_weights",
]
