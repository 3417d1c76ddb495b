"""The stores of an application, for its routes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from berryeval.archive import Archive
from berryeval.service.settings import ServiceSettings
from berryeval.service.stores.stores import Stores

__all__ = ["StoresDep", "open_stores"]


def open_stores(archive: Archive, settings: ServiceSettings) -> Stores:
    """Return the stores that belong to an archive.

    Embedded ones are in a folder next to its file, or in the working directory if it is in
    PostgreSQL. Nothing is created before the first write.
    """
    name = getattr(archive, "name", settings.archive)  # a description needs no archive
    is_file = not name.startswith(("postgresql://", "postgres://"))
    return Stores(Path(f"{name if is_file else 'berryeval'}.stores"), settings.systems)


async def _stores(request: Request) -> Stores:
    stores: Stores = request.app.state.stores
    return stores


StoresDep: TypeAlias = Annotated[Stores, Depends(_stores)]
