"""The report at the end of a session.

With pytest-xdist, every worker passes its results on to the controller, which writes the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from berryeval.pytest_plugin._options import report_path

if TYPE_CHECKING:
    from berryeval.pytest_plugin.results import Results

__all__ = ["RESULTS", "pytest_sessionfinish", "pytest_terminal_summary", "pytest_testnodedown"]

RESULTS = pytest.StashKey[list["Results"]]()
"""The results that the tests of this process used."""

_FROM_WORKERS = pytest.StashKey[list[bytes]]()
_OUTCOME = pytest.StashKey[str]()
_HANDED_OVER = "berryeval_record"


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - a WorkerController of xdist
    """Collect the results of a worker: none if it crashed, or had no such test."""
    content = getattr(node, "workeroutput", {}).get(_HANDED_OVER)
    if content is not None:
        node.config.stash.setdefault(_FROM_WORKERS, []).append(content)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report, or pass on the data for it."""
    config = session.config
    path = report_path(config)
    if path is None:
        return
    import pickle

    from berryeval.errors import BerryEvalError
    from berryeval.pytest_plugin.page import Record, write_page

    results = config.stash.get(RESULTS, [])
    own = [Record.of(first) for first in results[:1]]
    output: dict[str, Any] | None = getattr(config, "workeroutput", None)
    if output is not None:
        if own:
            output[_HANDED_OVER] = pickle.dumps(own[0])
        return
    try:
        handed_over = config.stash.get(_FROM_WORKERS, [])
        records = own + [pickle.loads(record) for record in handed_over]  # noqa: S301 - our own
        if not records:
            config.stash[_OUTCOME] = "no report: no test used berryeval_results"
            return
        write_page(path, records)
        more = f", of the first of {len(results)} runs" if len(results) > 1 else ""
        config.stash[_OUTCOME] = f"report: {path}{more}"
    except (BerryEvalError, OSError) as error:
        config.stash[_OUTCOME] = f"no report: {error}"
        session.exitstatus = pytest.ExitCode.USAGE_ERROR


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print where the report is."""
    if _OUTCOME in config.stash:
        terminalreporter.write_line(f"berryeval: {config.stash[_OUTCOME]}")
