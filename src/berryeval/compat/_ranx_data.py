"""Judgments and runs with the methods of ranx."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, KeysView, Mapping
from typing import Any, Generic, TypeVar

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run as CoreRun
from berryeval.errors import ArgumentError
from berryeval.formats import read_judgments, read_run, write_judgments, write_run
from berryeval.formats.lines import PathLike

__all__ = ["Qrels", "Run"]

_FORMATS = {"json": "json", "trec": "trec", "gz": "trec", "lz4": "ranx-lz4", "parquet": "parquet"}
"""ranx's names for kinds of files, and the formats that they mean in BerryEval."""

_COLUMNS = ("query_id", "doc_id", "score")

_Table = TypeVar("_Table", bound=Grouped)


class _Numbers(ABC, Generic[_Table]):
    """A number for each document of each query: columns, or a dict once something was added."""

    _kind: type[_Table]

    def __init__(
        self, numbers: _Table | Mapping[str, Mapping[str, float]] | None, name: str | None
    ) -> None:
        self.name = name
        self._stored = self._read(numbers)
        self._added: dict[str, dict[str, float]] | None = None

    def _read(self, numbers: _Table | Mapping[str, Mapping[str, float]] | None) -> _Table:
        if isinstance(numbers, self._kind):
            return numbers
        return self._from_dict({} if numbers is None else numbers)

    @abstractmethod
    def _from_dict(self, numbers: object) -> _Table:
        """Return the columns of a dict of dicts."""

    def table(self) -> _Table:
        """Return the columns that BerryEval computes with."""
        if self._added is not None:
            self._stored = self._read(self._added)
            self._added = None
        return self._stored

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a dict of dicts: queries by id, their documents with the highest number first."""
        numbers = self.table().to_dict()
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for query in sorted(numbers):
            found[query] = _sorted(numbers[query])
        return found

    def to_dataframe(self) -> Any:  # noqa: ANN401 - of pandas
        """Return a pandas frame with the columns ``q_id``, ``doc_id`` and ``score``."""
        import pandas as pd

        rows = [
            (query, document, number)
            for query, numbers in self.to_dict().items()
            for document, number in numbers.items()
        ]
        return pd.DataFrame(rows, columns=["q_id", "doc_id", "score"])

    def keys(self) -> KeysView[str]:
        """Return the query ids, sorted."""
        return dict.fromkeys(sorted(self.table().query_ids)).keys()

    def get_query_ids(self) -> list[str]:
        """Return the query ids, sorted."""
        return list(self.keys())

    def get_doc_ids_and_scores(self) -> list[dict[str, float]]:
        """Return the documents with their numbers, for each query."""
        return list(self.to_dict().values())

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Set the number of a document, and add the query or the document if it is new."""
        self._changed().setdefault(q_id, {})[doc_id] = score

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[float]) -> None:
        """Add a query, or replace it."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self,
        q_ids: Iterable[str],
        doc_ids: Iterable[Iterable[str]],
        scores: Iterable[Iterable[float]],
    ) -> None:
        """Add several queries, or replace them."""
        for query, documents, numbers in zip(q_ids, doc_ids, scores, strict=True):
            self._changed()[query] = dict(zip(documents, numbers, strict=True))

    def _changed(self) -> dict[str, dict[str, float]]:
        if self._added is None:
            self._added = dict(self.table().to_dict())
        return self._added

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self)

    def __getitem__(self, q_id: str) -> dict[str, float]:
        table = self.table()
        if q_id not in table:
            raise KeyError(q_id)
        rows = table.rows_of(encode_id(q_id))
        return _sorted({table.doc_ids[row]: table.values[row] for row in rows})  # noqa: PD011 - no frame

    def __len__(self) -> int:
        return len(self.table())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name or 'without a name'}: {self.table()!r}>"


class Qrels(_Numbers[Judgments]):
    """Judgments.

    Parameters
    ----------
    qrels : dict of dicts or Judgments, optional
        Query id, document id, grade. A grade can be a fraction, which ranx truncates.
    name : str, optional
        Name of the set.
    """

    _kind = Judgments

    def __init__(
        self,
        qrels: Judgments | Mapping[str, Mapping[str, float]] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(qrels, name)

    def _from_dict(self, numbers: Any) -> Judgments:  # noqa: ANN401 - checked there
        judgments = Judgments.from_dict(numbers)
        judgments.is_kept_ready = True
        return judgments

    @property
    def qrels(self) -> dict[str, dict[str, float]]:
        """The grades, as `to_dict` returns them."""
        return self.to_dict()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Lower all grades so that `rel_lvl` becomes 1."""
        self._added = {
            query: {document: grade - (rel_lvl - 1) for document, grade in grades.items()}
            for query, grades in self.to_dict().items()
        }

    def save(self, path: PathLike = "qrels.json", kind: str | None = None) -> None:
        """Write a file; its name, or `kind`, decides the format."""
        write_judgments(self.table(), path, format=_format_of(kind))

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]]) -> Qrels:
        """Read a dict of dicts."""
        return Qrels(d)

    @staticmethod
    def from_file(path: PathLike, kind: str | None = None) -> Qrels:
        """Read a file in any format that BerryEval reads, compressed or not.

        `kind` is ranx's name of the format: ``json``, ``trec``, ``gz``, ``lz4`` or ``parquet``.
        Without it, the content decides, not the name of the file.
        """
        return Qrels(read_judgments(path, format=_format_of(kind)))

    @staticmethod
    def from_df(
        df: Any,  # noqa: ANN401 - a frame of any library
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
    ) -> Qrels:
        """Read a frame of pandas, polars or pyarrow, with columns of any type."""
        return Qrels(Judgments.from_frame(_renamed(df, q_id_col, doc_id_col, score_col)))

    @staticmethod
    def from_parquet(
        path: PathLike,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
    ) -> Qrels:
        """Read a Parquet file with pandas, which takes `pd_kwargs`."""
        return Qrels.from_df(_parquet(path, pd_kwargs), q_id_col, doc_id_col, score_col)


class Run(_Numbers[CoreRun]):
    """What a system returned.

    Parameters
    ----------
    run : dict of dicts or berryeval.Run, optional
        Query id, document id, score.
    name : str, optional
        Name of the run, for `compare`.
    """

    _kind = CoreRun

    def __init__(
        self,
        run: CoreRun | Mapping[str, Mapping[str, float]] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        """For each metric that was evaluated, the score of each query."""
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    def _from_dict(self, numbers: Any) -> CoreRun:  # noqa: ANN401 - checked there
        return CoreRun.from_dict(numbers)

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """The scores of documents, as `to_dict` returns them."""
        return self.to_dict()

    def make_comparable(self, qrels: Qrels) -> Run:
        """Add empty results for judged queries, remove queries without judgments; return itself."""
        own = self.to_dict()
        self._added = {query: own.get(query, {}) for query in qrels.get_query_ids()}
        return self

    def save(self, path: PathLike = "run.json", kind: str | None = None) -> None:
        """Write a file, best documents first; its name, or `kind`, decides the format."""
        run = CoreRun.from_dict({
            query: dict(sorted(numbers.items(), key=_rank_key, reverse=True))
            for query, numbers in self.to_dict().items()
        })  # fmt: skip
        run.tag = self.name
        write_run(run, path, format=_format_of(kind))

    @staticmethod
    def from_dict(d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Run:
        """Read a dict of dicts."""
        return Run(d, name)

    @staticmethod
    def from_file(path: PathLike, kind: str | None = None, name: str | None = None) -> Run:
        """Read a file, as `Qrels.from_file` does; a TREC file contains the name of the run."""
        found = read_run(path, format=_format_of(kind))
        return Run(found, found.tag if name is None else name)

    @staticmethod
    def from_df(
        df: Any,  # noqa: ANN401 - a frame of any library
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Run:
        """Read a frame of pandas, polars or pyarrow, with columns of any type."""
        frame = _renamed(df, q_id_col, doc_id_col, score_col)
        return Run(CoreRun.from_frame(frame), name)

    @staticmethod
    def from_parquet(
        path: PathLike,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Run:
        """Read a Parquet file with pandas, which takes `pd_kwargs`."""
        return Run.from_df(_parquet(path, pd_kwargs), q_id_col, doc_id_col, score_col, name)


def _sorted(numbers: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(numbers.items(), key=lambda item: item[1], reverse=True))


def _rank_key(scored: tuple[str, float]) -> tuple[float, bytes]:
    """Return the key of a document in a ranking: ties break by id."""
    doc_id, score = scored
    return score, encode_id(doc_id)


def _format_of(kind: str | None) -> str | None:
    if kind is None:
        return None
    if kind not in _FORMATS:
        raise ArgumentError("kind", f"one of {', '.join(_FORMATS)}", repr(kind))
    return _FORMATS[kind]


def _parquet(path: PathLike, options: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 - of pandas
    import pandas as pd

    return pd.read_parquet(path, **(options or {}))


def _renamed(frame: Any, *names: str) -> Any:  # noqa: ANN401 - a frame of any library
    """Return the three columns of a frame, with the names that BerryEval uses."""
    known = frame.column_names if hasattr(frame, "column_names") else list(frame.columns)
    for name in names:
        if name not in known:
            raise ArgumentError("df", f"a column {name!r}", f"columns {known}")
    if hasattr(frame, "rename_columns"):  # pyarrow
        return frame.select([*names]).rename_columns([*_COLUMNS])
    chosen, named = frame[[*names]], dict(zip(names, _COLUMNS, strict=True))
    return chosen.rename(columns=named) if hasattr(frame, "iloc") else chosen.rename(named)
