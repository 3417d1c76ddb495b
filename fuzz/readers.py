"""Any bytes as a file of judgments, of a run or of queries, and any text as a measure.

Whatever comes, the answer is a value or one of our errors, and what was read can be written and
read again. atheris looks for new ways through the code:

    fuzz/run.sh 60 readers
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from types import FunctionType

from berryeval.errors import BerryEvalError
from berryeval.formats import read_judgments, read_queries, read_run
from berryeval.formats.facts import read_facts
from berryeval.formats.reading import sniff_format
from berryeval.formats.registry import FORMATS
from berryeval.measures import parse_measures

FOLDER = Path(tempfile.mkdtemp(prefix="berryeval-fuzz-"))


def read_all(path: Path) -> None:
    """Read a file as everything it may be."""
    for read in (read_run, read_judgments):
        for duplicates in ("error", "keep-best"):
            with contextlib.suppress(BerryEvalError):
                data = read(path, duplicates=duplicates)
                assert data.n_rows >= 0
                # A dict of grades has no place for subtopics and strata.
                if not any(getattr(data, name, {}) for name in ("subtopics", "strata")):
                    assert type(data).from_dict(data.to_dict()) == data
    for read_more in (read_facts, read_queries):
        with contextlib.suppress(BerryEvalError):
            read_more(path)
    with contextlib.suppress(BerryEvalError):
        assert sniff_format(path) in FORMATS


def parse_names(text: str) -> None:
    """Read a text as measures; what they are called is read as the same ones."""
    with contextlib.suppress(BerryEvalError):
        measures = parse_measures(text)
        for measure in measures:
            assert parse_measures(str(measure)) == (measure,), str(measure)


def try_input(data: bytes) -> None:
    """Try one input: its first byte says as what."""
    if data[:1] == b"m":
        parse_names(data[1:].decode("utf-8", "replace"))
        return
    path = FOLDER / "input"
    path.write_bytes(data[1:])
    read_all(path)


def instrument() -> None:
    """Have atheris watch all functions of ours.

    Its way of doing so at import does not work for an editable install.
    """
    import atheris

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "berryeval":
            continue
        for item in list(vars(module).values()):
            for function in [item, *(vars(item).values() if isinstance(item, type) else ())]:
                if isinstance(function, FunctionType) and function.__module__ == name:
                    atheris.instrument_func(function)


def main() -> None:
    """Fuzz until the time is over."""
    import atheris

    instrument()
    for folder in sys.argv[1:]:
        if not folder.startswith("-") and not Path(folder).exists():
            Path(folder).mkdir(parents=True, exist_ok=True)
    atheris.Setup(sys.argv, try_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
