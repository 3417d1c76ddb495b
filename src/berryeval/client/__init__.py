"""A client of the service, using only the standard library."""

from __future__ import annotations

from berryeval.client.client import Client
from berryeval.client.connection import Record

__all__ = ["Client", "Record"]
