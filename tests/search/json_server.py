"""A search API on this machine for tests: a real HTTP server that returns JSON."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@contextmanager
def serving(answer):
    """Serve what ``answer(request)`` returns: a status and an object or bytes; None hangs up.

    Pairs of header name and value may follow.

    A request has a method, a path, parameters, headers, and the content as bytes and as JSON.
    """

    class Handler(BaseHTTPRequestHandler):
        def _reply(self):
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            parts = urlsplit(self.path)
            request = {
                "method": self.command,
                "path": parts.path,
                "parameters": {key: values[0] for key, values in parse_qs(parts.query).items()},
                "headers": dict(self.headers),
                "content": content,
                "body": json.loads(content) if content and not _has_lines(self.headers) else None,
            }
            answered = answer(request)
            if answered is None:
                self.close_connection = True
                return
            status, content, *headers = answered
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = _reply  # noqa: N815 - http.server's names

        def log_message(self, *_arguments):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_arguments):
            """Ignore clients that disconnect."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _has_lines(headers):
    """Return whether the content is JSON lines."""
    return "ndjson" in headers.get("Content-Type", "")


def asleep(seconds):
    """Return a handler that answers late."""

    def answer(_request):
        time.sleep(seconds)
        return 200, {"hits": []}

    return answer
