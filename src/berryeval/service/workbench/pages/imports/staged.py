"""Files that were looked at and wait for a yes."""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from berryeval.service.workbench.pages.imports.kinds import Kind, Options

__all__ = ["Staged", "StagedImports"]

_MOST = 8
_KEPT_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Staged:
    """A file that was read, and is not stored yet."""

    kind: Kind
    content: Any
    options: Options
    owner: str
    revision: int
    """Of the judgments when it was looked at."""
    until: float = field(default_factory=lambda: time.monotonic() + _KEPT_SECONDS)


class StagedImports:
    """The last files that were looked at, for half an hour, in memory."""

    def __init__(self) -> None:
        self._staged: dict[str, Staged] = {}
        self._lock = threading.Lock()

    def put(self, staged: Staged) -> str:
        """Keep a file, and return a name for it that nobody can guess."""
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._forget()
            while len(self._staged) >= _MOST:
                del self._staged[next(iter(self._staged))]
            self._staged[name] = staged
        return name

    def take(self, name: str, owner: str) -> Staged | None:
        """Return a file and forget it; None if it is not here, or somebody else's."""
        with self._lock:
            self._forget()
            found = self._staged.get(name)
            if found is None or found.owner != owner:
                return None
            return self._staged.pop(name)

    def _forget(self) -> None:
        now = time.monotonic()
        self._staged = {name: one for name, one in self._staged.items() if one.until > now}
