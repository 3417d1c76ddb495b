"""Judgments and runs as rows that one shuffle brings together by query.

A row has a key, the ids of its query and document as bytes, and its grade or score. The key is a
hash of the query, in which two bits encode the kind of row, so that sorting a partition by this one
number does three things at once:

- All rows of a query come together, since they have the same hash.
- The upper eight bits of the hash divide a partition into up to 256 buckets of queries. Within a
  bucket, judgments come before the rows of the run. A task reads bucket by bucket, and needs memory
  for a bucket or the largest query, not for a partition.
- Numbers are sorted by their digits (radix sort); ids would have to be compared with each other.

Two queries with the same hash are mixed in the same bucket, which costs time and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from berryeval.core.arrow_stream import NUMBER, find_places
from berryeval.core.column_names import (
    JUDGE,
    STRATUM,
    SUBTOPIC,
    SUBTOPIC_WEIGHT,
    Kind,
    find_name,
)
from berryeval.core.origin import Origin
from berryeval.errors import ArgumentError
from berryeval.evaluation.partitions import ScoringPlan

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = [
    "JUDGED",
    "KIND_BITS",
    "RETRIEVED",
    "UNJUDGED",
    "has_bytes",
    "judgment_rows",
    "label_columns",
    "pruned",
    "query_hash",
    "query_ids",
    "quoted",
    "run_rows",
]

JUDGED, RETRIEVED, UNJUDGED = 0, 1, 2
"""Kind of a row: a judgment, a document of a run, or a marker that an unjudged query is in the run.
When two runs are compared, `RETRIEVED` and `UNJUDGED` distinguish them."""

KIND_BITS = 54
"""Position of the two bits with the kind of row; the eight bits above them are the bucket."""

_HASHED = ~(3 << KIND_BITS)


def judgment_rows(frame: DataFrame, plan: ScoringPlan) -> DataFrame:
    """Return judgments as rows, with the labels that the plan needs."""
    from pyspark.sql import functions

    labels = label_columns(frame, plan)
    known = [functions.col(quoted(name)) for name in labels]
    columns = [
        (_weight if find_name([name], SUBTOPIC_WEIGHT) else _as_bytes)(frame, name, column).alias(
            name
        )
        for name, column in zip(labels, known, strict=True)
    ]
    return _rows(frame, "judgments", JUDGED, columns)


def run_rows(
    frame: DataFrame, kind: int = RETRIEVED, *, labels: DataFrame | None = None
) -> DataFrame:
    """Return a run as rows; it has none of the labels that judgments have."""
    from pyspark.sql import functions

    more = () if labels is None else labels.schema.fields[4:]
    nothing = [functions.lit(None).cast(one.dataType).alias(one.name) for one in more]
    return _rows(frame, "run", kind, nothing)


def pruned(run: DataFrame, judgments: DataFrame) -> DataFrame:
    """Return the rows of a run, without the documents of unjudged queries.

    Judged ids are broadcast. They are read by one task, and so need no shuffle of their own.
    """
    from pyspark.sql import functions

    judged = judgments.select("query_id").coalesce(1).distinct()
    judged = judged.withColumn("is_judged", functions.lit(True))  # noqa: FBT003 - a column
    joined = run.join(functions.broadcast(judged), "query_id", "left")
    is_judged = functions.col("is_judged").isNotNull()
    unjudged = functions.col("key").bitwiseXOR(
        functions.lit((RETRIEVED ^ UNJUDGED) << KIND_BITS).cast("long")
    )
    return joined.select(
        functions.when(is_judged, functions.col("key")).otherwise(unjudged).alias("key"),
        "query_id",
        functions.when(is_judged, functions.col("doc_id")).alias("doc_id"),
        *run.columns[3:],
    )


def label_columns(judgments: DataFrame, plan: ScoringPlan) -> list[str]:
    """Return the names of the columns besides query, document and grade that scores depend on."""
    wanted = [JUDGE, SUBTOPIC]
    if any(measure.uses_intents for measure in plan.measures):
        wanted.append(SUBTOPIC_WEIGHT)
    if any(measure.uses_strata for measure in plan.measures):
        wanted.append(STRATUM)
    found = (find_name(judgments.columns, known) for known in wanted)
    return [name for name in found if name is not None]


def query_hash() -> Column:
    """Return the hash of the query, as used in the keys of rows."""
    from pyspark.sql import functions

    return functions.col("key").bitwiseAND(functions.lit(_HASHED).cast("long"))


def query_ids(frame: DataFrame, kind: Kind) -> DataFrame:
    """Return the ids of queries as bytes, as often as there are rows."""
    place = find_places(frame.columns, kind, _origin(kind))[0]
    return frame.select(_id(frame, kind, place).alias("query_id"))


def has_bytes(frame: DataFrame, kind: Kind) -> bool:
    """Whether the ids of queries are bytes, which need not be text."""
    return _type_of(frame, find_places(frame.columns, kind, _origin(kind))[0]) == "binary"


def _rows(frame: DataFrame, kind: Kind, tag: int, more: Sequence[Column]) -> DataFrame:
    from pyspark.sql import functions

    names = frame.columns
    places = find_places(names, kind, _origin(kind))
    query, document = (_id(frame, kind, place) for place in places[:2])
    key = functions.xxhash64(query).bitwiseAND(functions.lit(_HASHED).cast("long"))
    return frame.select(
        key.bitwiseOR(functions.lit(tag << KIND_BITS).cast("long")).alias("key"),
        query.alias("query_id"),
        document.alias("doc_id"),
        _number(frame, kind, places[2]).alias("value"),
        *more,
    )


def _origin(kind: Kind) -> Origin:
    return Origin(kind, is_file=False)


def quoted(name: str) -> str:
    """Return the name of a column, quoted for Spark."""
    return f"`{name.replace('`', '``')}`"


def _type_of(frame: DataFrame, place: int) -> str:
    name: str = frame.schema.fields[place].dataType.typeName()
    return name


def _id(frame: DataFrame, kind: Kind, place: int) -> Column:
    from pyspark.sql import functions
    from pyspark.sql.types import BinaryType, IntegralType, StringType

    field = frame.schema.fields[place]
    column = functions.col(quoted(field.name))
    if isinstance(field.dataType, BinaryType):
        return column
    # Also where text has a collation, by which other ids would be equal: bytes have none.
    if isinstance(field.dataType, (IntegralType, StringType)):
        return column.cast("string").cast("binary")
    expected = f"ids (text or whole numbers) in column {field.name!r}"
    raise ArgumentError(kind, expected, field.dataType.simpleString())


def _number(frame: DataFrame, kind: Kind, place: int) -> Column:
    from pyspark.sql import functions
    from pyspark.sql.types import BooleanType, NullType, NumericType

    field = frame.schema.fields[place]
    if isinstance(field.dataType, (BooleanType, NullType, NumericType)):
        return functions.col(quoted(field.name)).cast("double")
    expected = f"numbers in column {field.name!r} ({NUMBER[kind]})"
    raise ArgumentError(kind, expected, field.dataType.simpleString())


def _as_bytes(_frame: DataFrame, _name: str, column: Column) -> Column:
    return column.cast("string").cast("binary")


def _weight(frame: DataFrame, name: str, column: Column) -> Column:
    """Return a weight as a number; text stays text, and is parsed where it is checked."""
    is_text = _type_of(frame, frame.columns.index(name)) in ("string", "binary")
    return column.cast("string").cast("binary") if is_text else column.cast("double")
