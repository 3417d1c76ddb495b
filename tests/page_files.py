"""The files that pages of the documentation assume to exist, made from the examples."""

import csv
import json
import shutil
from pathlib import Path

from berryeval.search.chunking import read_chunks
from page_blocks import ROOT
from platform_files import FILES

EXAMPLES = ROOT / "examples"
CENTRE = json.loads((EXAMPLES / "help_centre.json").read_text(encoding="utf-8"))

RUNS = {
    "words": ("a", "before", "bm25", "old", "plain", "words"),
    "stems": ("after", "asked", "b", "candidate", "dense", "hybrid", "mine", "new", "stems"),
}
"""The runs of the examples, and the names that pages give to the runs of a reader."""

MODULES = {
    "my_search.py": """
import json
from pathlib import Path

TEXTS = json.loads((Path(__file__).parent / "examples/help_centre.json").read_text())["documents"]


def find(query, k):
    words = set(query.lower().split())
    scores = {name: len(words & set(text.lower().split())) for name, text in TEXTS.items()}
    best = sorted(scores, key=scores.get, reverse=True)
    return [(name, scores[name]) for name in best[:k] if scores[name]]
""",
    "my_app.py": """
from types import SimpleNamespace

from my_search import find


class Retriever:
    k = 4

    def invoke(self, query):
        return [
            SimpleNamespace(id=name, page_content=name, metadata={"source": name})
            for name, _ in find(query, self.k)
        ]


retriever = Retriever()


def build():
    return retriever
""",
}


def write_files(folder: Path) -> None:
    """Write judgments, runs, queries, documents and code under the names that pages use."""
    for name in ("runs", "rag_project", "search_project"):
        shutil.copytree(
            EXAMPLES / name,
            folder / "examples" / name,
            ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"),
        )
    shutil.copy(EXAMPLES / "help_centre.json", folder / "examples")
    shutil.copy(EXAMPLES / "runs" / "qrels.txt", folder)
    for example, names in RUNS.items():
        for name in names:
            shutil.copy(EXAMPLES / "runs" / f"{example}.run", folder / f"{name}.run")
    for name, content in MODULES.items():
        (folder / name).write_text(content, encoding="utf-8")
    _write_queries(folder)
    _write_documents(folder)
    _write_beir(folder / "scifact")
    _write_golden(folder)
    _write_gate(folder)


def _write_queries(folder: Path) -> None:
    rows = [
        {
            "id": query["id"],
            "query": query["query"],
            "category": ("factual", "procedural", "troubleshoot")[number // 2 % 3],
            "session": f"s{number // 2}",
            "turn": 1 + number % 2,
        }
        for number, query in enumerate(CENTRE["queries"])
    ]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "queries.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["query_id", *list(rows[0])[1:]])
        table.writerows(row.values() for row in rows)


def _write_documents(folder: Path) -> None:
    """Write each article as a page, whose first sentence is its heading."""
    (folder / "docs").mkdir()
    for name, text in CENTRE["documents"].items():
        title, _, content = text.partition(". ")
        (folder / "docs" / f"{name}.md").write_text(f"# {title}\n\n{content}\n", encoding="utf-8")


def _write_golden(folder: Path) -> None:
    """Write a golden set whose judged chunks are those of the documents."""
    golden = folder / "golden"
    shutil.copytree(folder / "docs", golden / "test-documents")
    chunk_of = {Path(one.source).stem: one.chunk_id for one in read_chunks(folder / "docs")}
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    judged = [
        {
            "query_id": one["id"],
            "relevant": [
                {"chunk_id": chunk_of[name], "grade": grade}
                for name, grade in one["relevant"].items()
            ],
        }
        for one in CENTRE["queries"]
    ]
    content = {
        "test-queries.json": {"queries": queries},
        "relevance-judgments.json": {"scale": 3, "judgments": judged},
    }
    for name, found in content.items():
        (golden / name).write_text(json.dumps(found), encoding="utf-8")
    (golden / "GUIDELINE.md").write_text(CENTRE["guideline"], encoding="utf-8")


def _write_gate(folder: Path) -> None:
    """Write the settings of a gate, whose baseline is a run."""
    (folder / "baselines").mkdir()
    (folder / "berryeval.toml").write_text(
        """judgments = "qrels.txt"
queries = "queries.jsonl"
run = "new.run"
baseline = "baselines/main.json"
history = "quality/history.jsonl"
reserve = 0.2
reserve_salt = "a page"

[[gate.guard]]
measure = "nDCG@10"
margin = 0.05
""",
        encoding="utf-8",
    )
    (folder / "quality").mkdir()


def _write_beir(folder: Path) -> None:
    """Write the help centre as a data set of BEIR, with two splits."""
    (folder / "qrels").mkdir(parents=True)
    documents = [{"_id": name, "text": text} for name, text in CENTRE["documents"].items()]
    queries = [{"_id": one["id"], "text": one["query"]} for one in CENTRE["queries"]]
    for name, rows in (("corpus", documents), ("queries", queries)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    judged = "".join(
        f"{one['id']}\t{name}\t{grade}\n"
        for one in CENTRE["queries"]
        for name, grade in one["relevant"].items()
    )
    for split in ("test", "dev"):
        (folder / "qrels" / f"{split}.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")


SAVE_BASELINE = (
    "berryeval baseline save --run old.run --judgments qrels.txt --baseline baselines/main.json"
    " -m nDCG@10"
)
BEFORE = {
    "deciding.md": [SAVE_BASELINE, "cp new.run new.2.run", "cp new.run new.3.run"],
    "practices.md": [SAVE_BASELINE, "berryeval baseline release v1.3"],
    "share-results.md": [SAVE_BASELINE],
    "use-in-ci.md": [SAVE_BASELINE, "berryeval baseline release v1.3", "git init --quiet"],
    "weigh-queries-by-traffic.md": [
        SAVE_BASELINE,
        "printf 'save note as pdf\t12\ndownload all my notes\t3\n' > searches.tsv",
        "berryeval golden weights searches.tsv --queries queries.jsonl --in-place",
    ],
    "coming-from-quepid.md": [
        "berryeval convert qrels.txt case_7_judgements.csv --to quepid-csv --queries queries.jsonl",
        "berryeval convert old.run snapshot_3.csv --to quepid-snapshot-csv --queries queries.jsonl",
        "berryeval convert new.run snapshot_4.csv --to quepid-snapshot-csv --queries queries.jsonl",
    ],
    "coming-from-opensearch-srw.md": [
        "berryeval convert qrels.txt judgments.json --to srw-judgments --queries queries.jsonl",
        "berryeval convert queries.jsonl query_set.json --kind queries --to srw-query-set",
    ],
    "convert-between-tools.md": [
        "berryeval convert qrels.txt judgments.json --to srw-judgments --queries queries.jsonl",
        "berryeval convert queries.jsonl query_set.json --kind queries --to srw-query-set",
    ],
    "compare-runs-and-judgments.md": ["cp qrels.txt experts.qrels", "cp qrels.txt model.qrels"],
    "coming-from-beir-mteb.md": ["cp -r scifact SciFact", "rm -r scifact/qrels/dev.tsv"],
    "coming-from-langchain-llamaindex-haystack.md": [
        "rm -r berryeval.toml golden",
        "cp -r scifact golden",
        "git init --quiet",
    ],
    "track-quality-over-time.md": [
        "git init --quiet",
        "git commit --quiet --allow-empty -m Start",
    ],
    "run-the-quality-suite.md": [
        "rm -r golden docs berryeval.toml",
        "cp -r scifact golden",
        "cp -r scifact docs",
    ],
    "evaluate-your-rag-retriever.md": [
        "rm -r examples golden",
        "cp -r scifact golden",
    ],
    "from-runs-to-a-gate.md": ["rm -r examples"],
    "versions.md": ["berryeval golden import golden/ berryeval.db"],
}
"""Commands that a reader has run before the first block of a page."""

JUDGES = "query_id,doc_id,relevance,judge\nh01,export-pdf,3,ada\nh01,export-pdf,2,ben\n"
SINGLE = {
    "build-a-golden-set.md": {
        "golden/test-documents/authentication-guide.md": "# Guide\n\n## Configure OAuth\n\n"
        "Register a client, and configure OAuth with its secret.\n",
        "searches.csv": "query,count\nsave note as pdf,12\ndownload all my notes,3\n",
    },
    "from-questions-to-a-gate.md": {
        "support/questions.csv": "question,expected_docs\nhow do I get a note as pdf,export.md\n"
        "undo a change,history.md\nI deleted a note by mistake,trash.md;history.md\n"
        "work on a notebook with a colleague,share.md\n",
    },
    "coming-from-langchain-llamaindex-haystack.md": {
        "qa_dataset.json": json.dumps(
            {
                "queries": {"q1": "save a note as pdf"},
                "corpus": {"export-pdf": "Exporting a note as PDF."},
                "relevant_docs": {"q1": ["export-pdf"]},
                "mode": "text",
            }
        ),
    },
    "coming-from-opensearch-srw.md": {
        "results.json": json.dumps(FILES["srw-experiment"]).replace("led tv", "save note as pdf")
    },
    "coming-from-quepid.md": {
        "book_3_judgements.csv": "query,docid,Ada,Bob\nsave note as pdf,export-pdf,3,2\n"
    },
    "coming-from-ragas.md": {
        "testset.csv": "user_input,reference_contexts,reference\n"
        "save a note as pdf,\"['Exporting a note as PDF.']\",Choose Export.\n",
        "chunks.jsonl": json.dumps({"_id": "export-pdf", "text": "Exporting a note as PDF."}),
        "qrels.txt": "1 0 export-pdf 1\n",
    },
    "convert-between-tools.md": {
        "case_7_judgements.csv": "query,docid,rating\nsave note as pdf,export-pdf,3\n"
        + "".join(f"save note as pdf,d{number},\n" for number in range(12)),
        "rank_eval_response.json": json.dumps(FILES["rank-eval-response"]),
        "experiment.json": json.dumps(FILES["srw-experiment"]),
        "case.json": json.dumps(FILES["quepid-case"]),
    },
    "evaluate-files.md": {"judgments.csv": JUDGES},
    "index-what-people-ask.md": {
        "questions.json": json.dumps({"export-pdf.md#exporting-a-note-as-pdf": ["make a pdf"]}),
        "qrels.txt": "h01 0 export-pdf.md#exporting-a-note-as-pdf 3\n",
    },
    "replace-trec-eval.md": {"judges.txt": "h01 ada export-pdf 3\nh01 ben export-pdf 1\n"},
    "use-in-unit-tests.md": {
        "shop/search.py": "def search(query):\n    return SHOWN[query]\n\n\n"
        "SHOWN = {\n"
        "    'red running shoes': ['shoe-12', 'shoe-7', 'shoe-31'],\n"
        "    'waterproof jacket': ['jacket-4', 'jacket-9', 'coat-2'],\n"
        "    'gift for a runner': ['voucher', 'shoe-12', 'watch-5'],\n}\n",
    },
    "requirements.md": {"tests/test_one.py": '"""M4: a promise."""\n'},
    "use-sampled-judgments.md": {"prels.txt": "h01 0 export-pdf 1 3\nh01 0 trash 2 -1\n"},
}
"""Files that only one page names."""


def _judge_spans(golden: Path) -> None:
    """Judge whole documents as spans, which are independent of the chunking."""
    path = golden / "relevance-judgments.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for judged in content["judgments"]:
        for one in judged["relevant"]:
            name = one.pop("chunk_id").partition("#")[0]
            n_characters = len((golden / "test-documents" / name).read_text(encoding="utf-8"))
            one.update(document=name, start=0, end=n_characters)
    path.write_text(json.dumps(content), encoding="utf-8")


CHUNKED = ("build-a-golden-set.md", "golden-set.md")
"""Pages whose judgments name chunks of the documents."""


def write_single(page: str, folder: Path) -> None:
    """Write the files that only one page names."""
    if page in CHUNKED:
        judged = json.loads((folder / "golden" / "relevance-judgments.json").read_text("utf-8"))
        (folder / "qrels.txt").write_text(
            "".join(
                f"{one['query_id']} 0 {found['chunk_id']} {found['grade']}\n"
                for one in judged["judgments"]
                for found in one["relevant"]
            ),
            encoding="utf-8",
        )
    if page == "build-a-golden-set.md":
        _judge_spans(folder / "golden")
    for name, content in SINGLE.get(page, {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def names_of(page: str) -> dict[str, object]:
    """Return the names that the code of a page assumes to exist."""
    names: dict[str, object] = {}
    if page in WITH_NAMES:
        exec(WITH_NAMES[page], names)  # noqa: S102 - from below
    return names


WITH_NAMES = {
    "track-quality-over-time.md": """
import berryeval as be
from berryeval.archive import Archive, JudgmentEntry, RunFacts
with Archive.open("berryeval.db") as archive:
    archive.judgments.put([JudgmentEntry("h01", "export-pdf", 3)], author="ada")
    archive.runs.put(be.read_run("bm25.run"), RunFacts("bm25"))
""",
    "archive.md": "import berryeval as be",
    "coming-from-langchain-llamaindex-haystack.md": "import pytest; from my_app import retriever",
    "coming-from-ragas.md": "from my_app import retriever",
    "model-judgments.md": """
import berryeval as be
query_ids = [f"q{number}" for number in range(200)]
drawn = be.draw_labels(query_ids, 100).labelled
for name, ids in (("people", drawn), ("judge", query_ids)):
    with open(f"{name}.jsonl", "w") as file:
        for one in ids:
            file.write(f'{{"query_id": "{one}", "doc_id": "d1", "relevance": 1}}\\n')
for name in ("old", "new"):
    with open(f"{name}.run", "w") as file:
        for one in query_ids:
            file.write(f"{one} Q0 d1 1 2 {name}\\n{one} Q0 d2 2 1 {name}\\n")
""",
}
