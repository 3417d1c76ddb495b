"""All formats of judgments, runs, scores and queries by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType

from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import arrow, delimited, json_object, jsonl, letor, parquet, trec
from berryeval.formats.capabilities import Capabilities, FileKind
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.platforms import PLATFORM_FORMATS, load

__all__ = ["BINARY", "FORMATS", "OWN_FORMATS", "capabilities_of", "check_format", "check_kind"]

OWN_FORMATS: dict[str, ModuleType] = {
    "parquet": parquet,
    "arrow": arrow,
    "jsonl": jsonl,
    "json": json_object,
    "table": delimited,
    "letor": letor,
    "trec": trec,
}
"""General formats by name, in the order of detection."""

BINARY = frozenset({"parquet", "arrow"})
"""Formats that are not text: pyarrow reads them."""

_WORDS: dict[FileKind, str] = {
    "judgments": "judgments",
    "run": "a run",
    "scores": "scores",
    "queries": "queries",
}


class _Formats(Mapping[str, ModuleType]):
    """Modules by name; those of platforms are imported on first use."""

    def __getitem__(self, name: str) -> ModuleType:
        return OWN_FORMATS[name] if name in OWN_FORMATS else load(name)

    def __iter__(self) -> Iterator[str]:
        return iter((*OWN_FORMATS, *PLATFORM_FORMATS))

    def __len__(self) -> int:
        return len(OWN_FORMATS) + len(PLATFORM_FORMATS)


FORMATS: Mapping[str, ModuleType] = _Formats()
"""All formats by name."""


def check_format(name: str) -> str:
    """Return the name of a format, or raise if it is unknown."""
    if name not in OWN_FORMATS and name not in PLATFORM_FORMATS:
        raise ArgumentError("format", " or ".join(map(repr, FORMATS)), repr(name))
    return name


def capabilities_of(name: str) -> Capabilities:
    """Return what a format holds."""
    holds: Capabilities = FORMATS[name].HOLDS
    return holds


def check_kind(name: str, kind: FileKind, path: PathLike) -> None:
    """Raise `FormatError` if files of a platform's format are not of a kind."""
    reads = capabilities_of(name).reads if name in PLATFORM_FORMATS else (kind,)
    if kind not in reads:
        found = " or ".join(_WORDS[one] for one in reads)
        raise FormatError.unexpected(_WORDS[kind], f"{found} in the format {name}", path_name(path))
