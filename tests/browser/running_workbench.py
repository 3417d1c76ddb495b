"""A service over an archive, as a browser meets it: it can be stopped and started again."""

import threading
import time

import uvicorn

from berryeval.archive import Archive
from berryeval.service import ServiceSettings
from service_server import new_app


class Workbench:
    """A service that listens.

    Parameters
    ----------
    location : str
        Of the archive, which is made if it is not there.
    settings
        As `ServiceSettings` takes them.
    """

    def __init__(self, location: str, **settings) -> None:
        self.archive = Archive.open(location)
        self._settings = ServiceSettings(archive=location, **settings)
        self._port = 0
        self.runs: dict[str, str] = {}
        """The ids of runs by their names."""
        self.start()

    def start(self) -> None:
        """Listen, after a stop where it listened before."""
        app = new_app(self.archive, self._settings)
        self._server = uvicorn.Server(
            uvicorn.Config(
                app, port=self._port, log_level="error", timeout_graceful_shutdown=1, lifespan="on"
            )
        )
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        self._port = self._server.servers[0].sockets[0].getsockname()[1]

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._port}"

    def stop(self) -> None:
        """Answer nobody any more; the archive stays."""
        self._server.should_exit = True
        self._thread.join(timeout=20)
        assert not self._thread.is_alive(), "the server did not stop"

    def close(self) -> None:
        """End it, with what it has open."""
        self.stop()
        self.archive.close()
