"""Files of queries. One module a format: its grammar, how it is read and written."""

from berryeval.formats.queries.reading import QUERY_FORMATS, read_queries
from berryeval.formats.queries.writing import write_queries

__all__ = ["QUERY_FORMATS", "read_queries", "write_queries"]
