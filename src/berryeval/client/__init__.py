"""A client of the service, out of Python's own library."""

from __future__ import annotations

from berryeval.client.client import Client
from berryeval.client.connection import Record

__all__ = ["Client", "Record"]
