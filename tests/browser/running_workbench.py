"""A service over an archive for a browser; it can be stopped and restarted."""

import threading

import uvicorn

from berryeval.archive import Archive
from berryeval.service import ServiceSettings
from service_server import new_app
from waiting import SECONDS_TO_WAIT, wait_until


class Workbench:
    """A running service.

    Parameters
    ----------
    location : str
        Location of the archive, which is created if missing.
    settings
        Settings of `ServiceSettings`.
    """

    def __init__(self, location: str, **settings) -> None:
        self.archive = Archive.open(location)
        self._settings = ServiceSettings(archive=location, **settings)
        self._port = 0
        self.runs: dict[str, str] = {}
        """The ids of runs by their names."""
        self.start()

    def start(self) -> None:
        """Start listening; after a stop, on the same port as before."""
        app = new_app(self.archive, self._settings)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app, port=self._port, log_level="error", timeout_graceful_shutdown=1, lifespan="on"
            )
        )
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        wait_until(lambda: self._server.started or not self._thread.is_alive())
        assert self._server.started, "the server did not start"
        self._port = self._server.servers[0].sockets[0].getsockname()[1]

    @property
    def address(self) -> str:
        """The address of the service."""
        return f"http://127.0.0.1:{self._port}"

    def stop(self) -> None:
        """Stop listening; the archive stays open."""
        self._server.should_exit = True
        self._thread.join(timeout=SECONDS_TO_WAIT)
        assert not self._thread.is_alive(), "the server did not stop"

    def close(self) -> None:
        """Stop the service and close the archive."""
        self.stop()
        self.archive.close()
