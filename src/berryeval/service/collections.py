"""The collections of a service: each has an archive, caches and stores of its own.

The first is open as long as the service runs. The others are opened by the first request that
names them; a few stay open, and the least recently used is closed when another is needed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from starlette.datastructures import State

from berryeval.archive import Archive
from berryeval.archive.collections import HOME
from berryeval.archive.records import StoredCollection
from berryeval.errors import ArchiveError, NotFoundError
from berryeval.service.jobs import FINISHED, Jobs
from berryeval.service.lru_cache import LruCache
from berryeval.service.problems import Problem
from berryeval.service.settings import ServiceSettings
from berryeval.service.shared_work import in_thread
from berryeval.service.stored_runs import RunCache
from berryeval.service.stores.stores import open_stores
from berryeval.service.workbench.state import memory

__all__ = ["MAX_OPEN", "Collection", "Collections", "set_up"]

MAX_OPEN = 8
"""Number of collections, besides the first, that stay open while they are not used."""

_PATIENCE_SECONDS = 10.0


def set_up(state: State, archive: Archive, settings: ServiceSettings) -> None:
    """Set the attributes of a state that requests to a collection share."""
    state.archive = archive
    state.settings = settings
    state.runs = RunCache(archive)
    # An evaluation is removed with its run, so entries expire after a second.
    state.evaluations = LruCache(2000, seconds=1.0)
    memory.set_up(state, archive, settings)
    state.stores = open_stores(archive, settings)
    state.is_stopping = False


class Collection:
    """A collection with the state that its requests share.

    Parameters
    ----------
    stored : StoredCollection
        Its name and place.
    state : State
        State that requests share; empty until the collection is open.
    """

    def __init__(self, stored: StoredCollection, state: State) -> None:
        self.name = stored.name
        self.place = stored.place
        self.state = state
        self.prefix = "" if stored.place is None else f"/c/{stored.name}"
        """The beginning of its addresses."""
        self.opening = threading.Lock()
        self.is_open = stored.place is None
        self._n_users = 0
        self._is_retired = False
        self._changed = threading.Condition()

    def take(self) -> None:
        """Keep it open until `release`."""
        with self._changed:
            self._n_users += 1

    def release(self) -> None:
        """Allow it to be closed, and close it if it has been retired."""
        with self._changed:
            self._n_users -= 1
            is_over = self._is_retired and self._n_users == 0
            self._changed.notify_all()
        if is_over:
            in_thread(self.close, "collection")  # waits for its threads

    @property
    def is_idle(self) -> bool:
        """Whether no request and no job uses it."""
        return self._n_users == 0

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until nothing uses it, and return whether that was in time."""
        with self._changed:
            return self._changed.wait_for(lambda: self.is_idle, seconds)

    def retire(self) -> None:
        """Close it now, or when nothing uses it any more."""
        with self._changed:
            self._is_retired = True
            is_over = self._n_users == 0
        if is_over:
            self.close()

    def close(self) -> None:
        """End its threads and close its connections."""
        with self.opening:
            if not self.is_open:
                return
            self.is_open = False
            memory.stop(self.state)
            self.state.stores.close()
            self.state.archive.close()


class Collections:
    """All collections of a service; those besides the first are opened on demand.

    Parameters
    ----------
    state : State
        The state of the application, which is that of the first collection.
    """

    def __init__(self, state: State) -> None:
        self.home = Collection(StoredCollection(HOME, HOME, None, None), state)
        self._opened: OrderedDict[str, Collection] = OrderedDict()
        self._being_removed: set[str] = set()
        self._is_checking = False
        self._lock = threading.Lock()

    def take(self, name: str) -> Collection:
        """Return a collection, open, until the caller releases it.

        The list is read each time, since another process may have changed it.

        Raises
        ------
        NotFoundError
            If there is no collection with this name.
        ArchiveError
            If it cannot be opened.
        """
        if name == HOME:  # most requests need not look it up
            self.home.take()
            return self.home
        stored = self._archive.collections.get(name)
        with self._lock:
            place = None if stored is None else stored.place
            retired = self._pop(lambda one: one.name == name and one.place != place)
            found = None
            if stored is not None and place is not None and place not in self._being_removed:
                found = self._opened.setdefault(place, Collection(stored, State()))
                self._opened.move_to_end(place)
                found.take()
            retired += self._surplus()
        for one in retired:
            one.retire()
        if stored is None or found is None:
            raise NotFoundError("collection", name)
        try:
            self._open(found, stored)
        except BaseException as error:
            self._discard(found)
            found.release()
            if isinstance(error, ArchiveError) and self.was_removed(found):
                raise NotFoundError("collection", name) from None
            raise
        return found

    def was_removed(self, collection: Collection) -> bool:
        """Whether another process has removed a collection that this one has opened."""
        if collection.place is None:
            return False
        try:
            stored = self._archive.collections.get(collection.name)
        except ArchiveError:
            return False
        return stored is None or stored.place != collection.place

    def remove(self, name: str) -> None:
        """Remove a collection with everything in it, once nothing uses it any more.

        Its jobs are cancelled, and new requests find that there is no such collection.

        Raises
        ------
        NotFoundError, ArgumentError
            If there is no such collection, or it is the first.
        Problem
            409 if requests still use it after some seconds.
        """
        stored = self._archive.collections.get(name)
        place = "" if stored is None or stored.place is None else stored.place
        with self._lock:
            self._being_removed.add(place)
            found = self._opened.get(place)
        try:
            if found is not None:
                self._cancel_jobs(place)
                if not found.wait_until_idle(_PATIENCE_SECONDS):
                    raise Problem(409, f"the collection {name!r} is in use; try again later",
                                  kind="conflict", where="collection")  # fmt: skip
                self._discard(found)
                found.retire()
            self._archive.collections.remove(name)
            self.home.state.callers.forget()  # tokens may have been limited to it
        finally:
            with self._lock:
                self._being_removed.discard(place)

    def close_outdated(self) -> None:
        """Close collections and search systems that another process has removed or replaced.

        Runs in a thread, since it reads the archives. Requests in progress are not disturbed.
        """
        with self._lock:
            if self._is_checking:
                return
            self._is_checking = True
        in_thread(self._close_outdated, "collection")

    def _close_outdated(self) -> None:
        self._is_checking = False  # before reading: later changes require another check
        with suppress(ArchiveError):
            if self._opened:
                places = {one.place for one in self._archive.collections.all()}
                with self._lock:
                    removed = self._pop(lambda one: one.place not in places)
                for one in removed:
                    one.retire()
            for state in self.open_states():
                state.stores.drop_outdated()

    def open_states(self) -> list[State]:
        """Return the states of the collections that are open."""
        with self._lock:
            return [one.state for one in (self.home, *self._opened.values()) if one.is_open]

    def close(self) -> None:
        """Close all collections besides the first."""
        with self._lock:
            opened = self._pop(lambda _: True)
        for one in opened:
            one.retire()

    @property
    def _archive(self) -> Archive:
        archive: Archive = self.home.state.archive
        return archive

    def _open(self, found: Collection, stored: StoredCollection) -> None:
        with found.opening:
            if not found.is_open:
                home = self.home.state
                archive = self._archive.open_collection(stored)
                found.state.workers = home.workers
                set_up(found.state, archive, home.settings)
                memory.start(found.state)
                found.is_open = True

    def _surplus(self) -> list[Collection]:
        """Remove and return the least recently used ones that are too many."""
        n_surplus = len(self._opened) - MAX_OPEN
        idle = [one for one in self._opened.values() if one.is_idle]
        chosen = idle[: max(0, n_surplus)]
        return self._pop(lambda one: one in chosen)

    def _pop(self, is_wanted: Callable[[Collection], bool]) -> list[Collection]:
        found = {place: one for place, one in self._opened.items() if is_wanted(one)}
        for place in found:
            del self._opened[place]
        return [*found.values()]

    def _discard(self, found: Collection) -> None:
        with self._lock:
            self._pop(lambda one: one is found)

    def _cancel_jobs(self, place: str) -> None:
        jobs: Jobs = self.home.state.jobs
        for job in jobs.all():
            if job.place == place and job.state not in FINISHED:
                jobs.cancel(job)
