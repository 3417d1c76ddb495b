"""Measure hybrid search on small public collections that it was not tuned for.

``python scripts/study_hybrid.py FOLDER`` scores words, vectors and hybrid on every collection that
it finds in FOLDER, and prints Markdown: the mean nDCG@10 of each, and the paired interval of its
difference from words alone. The collections are ADI, MED, CISI, Cranfield, NPL and CACM, in the
files that the University of Glasgow distributes: ``ADI.ALL``, ``ADI.QRY``, ``ADI.REL`` and so on.
They are not part of this repository.

``--settings 1,1,1,10,0.5`` adds a hybrid with other settings: the weights of words, vectors and
tokens, the documents of feedback, and the share of the query. ``--grid`` tries seventy, and
reports which would be chosen without each collection; ``--words 0.5,1,2`` tries these weights of
words instead of 1, 2, 3, 4 and 6. ``--embedder onnx:FOLDER`` uses another encoder. ``--runs
FOLDER`` also writes judgments, and the runs of words and of vectors, with those of the bundled
golden set.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import add
from pathlib import Path

import berryeval as be
from berryeval.core.documents import Document
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.golden import handbook
from berryeval.search import Embedded
from berryeval.search.embedding import Embedder, open_embedder
from berryeval.search.systems.hybrid import HybridSettings

MEASURE = "nDCG@10"
WORDS, VECTORS, HYBRID = "bm25", "vector", "hybrid"
_DEPTH = 10
_DEPTH_OF_RUNS = 100
_FIELD = re.compile(r"\.([A-Z])(?:[ \t]+(\d+))?[ \t]*")
_END = re.compile(r"\n[ \t]*/")


@dataclass(frozen=True)
class Collection:
    """Documents, and the queries that have relevant ones."""

    name: str
    documents: Sequence[Document]
    queries: Mapping[str, str]
    relevant: Mapping[str, Sequence[str]]

    @property
    def judgments(self) -> Judgments:
        """Grade 1 for relevant documents."""
        return Judgments.from_dict(
            {query_id: dict.fromkeys(ids, 1) for query_id, ids in self.relevant.items()}
        )


Settings = Mapping[str, HybridSettings]
Runs = Mapping[str, Mapping[str, Sequence[str]]]
"""Document ids by system and query."""


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--settings", action="append", default=[], metavar="NUMBERS")
    options.add_argument("--grid", action="store_true")
    options.add_argument("--words", default="1,2,3,4,6", metavar="NUMBERS")
    options.add_argument("--embedder", default="wordllama")
    options.add_argument("--vector-cache", help="file that keeps the vectors of a slow encoder")
    options.add_argument("--runs", type=Path, metavar="FOLDER")
    chosen = options.parse_args()
    embedder = open_embedder(chosen.embedder, vector_cache=chosen.vector_cache)
    several = {HYBRID: HybridSettings(), **{text: _settings(text) for text in chosen.settings}}
    if chosen.grid:
        several |= {_named(one): one for one in _grid(map(float, chosen.words.split(",")))}
    found: dict[str, tuple[Judgments, Runs]] = {}
    for collection in read_collections(chosen.folder):
        if chosen.runs is not None:
            _write_runs(chosen.runs / collection.name, collection, collection.judgments, embedder)
        found[collection.name] = collection.judgments, _search(collection, embedder, several)
    if chosen.runs is not None:
        golden = handbook()
        texts = {query.query_id: query.text for query in golden.queries}
        bundled = Collection("handbook", [*golden.documents(questions=False)], texts, {})
        _write_runs(chosen.runs / bundled.name, bundled, golden.judgments, embedder)
    if not found:
        options.error(f"no known collection in {chosen.folder}")
    print(_grid_tables(found, several) if chosen.grid else _tables(found))


def read_collections(folder: Path) -> list[Collection]:
    """Read the collections whose files are in a folder."""
    return [
        _collection(name, *(folder / file for file in files), read)
        for name, (read, files) in _COLLECTIONS.items()
        if all((folder / file).exists() for file in files)
    ]


def _collection(
    name: str, documents: Path, queries: Path, judgments: Path, read: _Reader
) -> Collection:
    found, texts, relevant = read(documents, queries, judgments)
    known = {document.doc_id for document in found}
    kept = {
        query_id: [one for one in dict.fromkeys(ids) if one in known]
        for query_id, ids in relevant.items()
        if query_id in texts
    }
    kept = {query_id: ids for query_id, ids in kept.items() if ids}
    return Collection(name, found, {query_id: texts[query_id] for query_id in kept}, kept)


_Parts = tuple[list[Document], dict[str, str], dict[str, list[str]]]
_Reader = Callable[[Path, Path, Path], _Parts]


def _read_smart(documents: Path, queries: Path, judgments: Path) -> _Parts:
    """Read SMART's fields: ``.I 1``, then ``.T`` for the title, ``.W`` for the text, and others."""
    found = []
    for record in _records(documents):
        title, text = record.get("T", ""), record.get("W", "")
        if title and text.startswith(title):  # Cranfield repeats the title in the text
            text = text[len(title) :].strip()
        found.append(Document(record["I"], text, title))
    texts = {record["I"]: record.get("W", "") for record in _records(queries)}
    return found, texts, _pairs(judgments)


def _read_cranfield(documents: Path, queries: Path, judgments: Path) -> _Parts:
    """As `_read_smart`, but judgments number the queries in their order, whatever their ids."""
    found, texts, relevant = _read_smart(documents, queries, judgments)
    numbered = {str(number): text for number, text in enumerate(texts.values(), start=1)}
    return found, numbered, relevant


def _read_npl(documents: Path, queries: Path, judgments: Path) -> _Parts:
    """Read records that end in a slash, with a number on the first line."""
    found = [Document(number, text) for number, text in _blocks(documents)]
    texts = {number: text.lower() for number, text in _blocks(queries)}
    return found, texts, {number: text.split() for number, text in _blocks(judgments)}


_COLLECTIONS: Mapping[str, tuple[_Reader, tuple[str, str, str]]] = {
    "ADI": (_read_smart, ("ADI.ALL", "ADI.QRY", "ADI.REL")),
    "MED": (_read_smart, ("MED.ALL", "MED.QRY", "MED.REL")),
    "CISI": (_read_smart, ("CISI.ALL", "CISI.QRY", "CISI.REL")),
    "Cranfield": (_read_cranfield, ("cran.all.1400", "cran.qry", "cranqrel")),
    "NPL": (_read_npl, ("npl-doc-text", "npl-query-text", "npl-rlv-ass")),
    "CACM": (_read_smart, ("cacm.all", "query.text", "qrels.text")),
}


def _records(path: Path) -> list[dict[str, str]]:
    lines: list[dict[str, list[str]]] = []
    field = ""
    for line in path.read_text("latin-1").splitlines():
        start = _FIELD.fullmatch(line)
        if start and start[1] == "I" and start[2]:
            lines.append({"I": [start[2]]})
            field = ""
        elif start and not start[2]:
            field = start[1]
        elif field:
            lines[-1].setdefault(field, []).append(line)
    return [{name: " ".join(" ".join(own).split()) for name, own in one.items()} for one in lines]


def _blocks(path: Path) -> list[tuple[str, str]]:
    found = []
    for block in _END.split(path.read_text("latin-1")):
        number, _, text = block.strip().partition("\n")
        if number:
            found.append((number.strip(), " ".join(text.split())))
    return found


def _pairs(path: Path) -> dict[str, list[str]]:
    """Read pairs of a query and a relevant document; CACM's have leading zeros.

    Every pair of a file is relevant. Cranfield's third column says how much, or -1. MED has a 0
    between query and document, as TREC's judgments.
    """
    found: dict[str, list[str]] = {}
    for line in path.read_text("latin-1").splitlines():
        query_id, doc_id, *rest = line.split() or ("", "")
        if doc_id == "0":
            doc_id = rest[0]
        if doc_id:
            found.setdefault(query_id.lstrip("0"), []).append(doc_id.lstrip("0"))
    return found


def _settings(text: str) -> HybridSettings:
    words, vectors, tokens, feedback, share = map(float, text.split(","))
    return HybridSettings((words, vectors), tokens, int(feedback), share=share)


def _named(one: HybridSettings) -> str:
    numbers = (*one.weights, one.late, one.feedback, one.share)
    return ",".join(f"{number:g}" for number in numbers)


def _grid(weights: Iterable[float]) -> Iterable[HybridSettings]:
    """Yield weights of words, with and without tokens and feedback."""
    for words, late in product(weights, (0.0, 1.0)):
        yield HybridSettings((words, 1.0), late, 0)
        for feedback, share in product((3, 5, 10), (0.5, 0.7)):
            yield HybridSettings((words, 1.0), late, feedback, share=share)


def _search(collection: Collection, embedder: Embedder, several: Settings) -> Runs:
    """Return the first documents by words, by vectors, and with each of several settings."""
    found: dict[str, dict[str, list[str]]] = {
        name: _ranked(collection, Embedded(name, embedder=embedder), _DEPTH)
        for name in (WORDS, VECTORS)
    }
    with Embedded("hybrid", embedder=embedder) as system:
        system.index(collection.documents)
        for query_id, text in collection.queries.items():
            each = system.search_each(text, _DEPTH, several.values())
            for name, hits in zip(several, each, strict=True):
                found.setdefault(name, {})[query_id] = [hit.doc_id for hit in hits]
    return found


def _ranked(collection: Collection, system: Embedded, k: int) -> dict[str, list[str]]:
    with system:
        system.index(collection.documents)
        return {
            query_id: [hit.doc_id for hit in system.search(text, k)]
            for query_id, text in collection.queries.items()
        }


def _write_runs(
    folder: Path, collection: Collection, judgments: Judgments, embedder: Embedder
) -> None:
    """Write judgments, and runs of words and of vectors with their scores."""
    folder.mkdir(parents=True, exist_ok=True)
    be.write_judgments(judgments, folder / "qrels.txt")
    for name in (WORDS, VECTORS):
        with Embedded(name, embedder=embedder) as system:
            system.index(collection.documents)
            found = {
                query_id: {hit.doc_id: hit.score for hit in system.search(text, _DEPTH_OF_RUNS)}
                for query_id, text in collection.queries.items()
            }
        be.write_run(Run.from_dict(found), folder / f"{name}.run")


def _tables(found: Mapping[str, tuple[Judgments, Runs]]) -> str:
    names = [*next(iter(found.values()))[1]]
    everything = _together(found)
    lines = [
        f"| collection | queries | {' | '.join(names)} |",
        f"|---|---:|{'---:|' * len(names)}",
    ]
    for place, (judgments, runs) in {**found, "all queries": everything}.items():
        means = (f"{_mean(judgments, runs[name]):.3f}" for name in names)
        lines.append(f"| {place} | {len(judgments.query_ids)} | {' | '.join(means)} |")
    others = [name for name in names if name != WORDS]
    lines += ["", f"| minus {WORDS} | {' | '.join(others)} |", f"|---|{'---:|' * len(others)}"]
    for place, (judgments, runs) in {**found, "all queries": everything}.items():
        cells = (_difference(judgments, runs[WORDS], runs[name]) for name in others)
        lines.append(f"| {place} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _together(found: Mapping[str, tuple[Judgments, Runs]]) -> tuple[Judgments, Runs]:
    """Return the queries of all collections as if they were one."""
    grades = {
        f"{place}/{query_id}": judgments.to_dict()[query_id]
        for place, (judgments, _) in found.items()
        for query_id in judgments.to_dict()
    }
    names = next(iter(found.values()))[1]
    runs = {
        name: {
            f"{place}/{q}": ids for place, (_, own) in found.items() for q, ids in own[name].items()
        }
        for name in names
    }
    return Judgments.from_dict(grades), runs


def _mean(judgments: Judgments, run: Mapping[str, Sequence[str]]) -> float:
    return be.evaluate(judgments, run, MEASURE)[MEASURE].mean


def _difference(
    judgments: Judgments, words: Mapping[str, Sequence[str]], run: Mapping[str, Sequence[str]]
) -> str:
    [one] = be.compare(judgments, {"words": words, "other": run}, MEASURE).differences
    between = (
        "" if one.interval is None else f" [{one.interval.low:+.3f}, {one.interval.high:+.3f}]"
    )
    return f"{one.mean:+.3f}{between}"


def _grid_tables(found: Mapping[str, tuple[Judgments, Runs]], several: Settings) -> str:
    """Return the gains over words of all settings, and what is chosen without each collection."""
    gains = {
        name: {
            place: _mean(judgments, runs[name]) - _mean(judgments, runs[WORDS])
            for place, (judgments, runs) in found.items()
        }
        for name in several
    }

    def gain(name: str, places: Iterable[str]) -> float:
        own = [gains[name][place] for place in places]
        return reduce(add, own, 0.0) / len(own)

    lines = [
        f"| settings | {' | '.join(found)} | least | mean |",
        f"|---|{'---:|' * len(found)}---:|---:|",
    ]
    for name in sorted(several, key=lambda name: -gain(name, found)):
        cells = [*gains[name].values(), min(gains[name].values()), gain(name, found)]
        lines.append(f"| {name} | {' | '.join(f'{one:+.3f}' for one in cells)} |")
    lines += ["", "| left out | chosen on the others | gain there |", "|---|---|---:|"]
    for place in found:
        others = [one for one in found if one != place]
        best = max(several, key=lambda name: gain(name, others))
        lines.append(f"| {place} | {best} | {gains[best][place]:+.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
