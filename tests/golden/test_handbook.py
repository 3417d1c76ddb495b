"""The bundled golden set, counted from its files."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

HANDBOOK = Path(__file__).parents[2] / "src" / "berryeval" / "golden" / "handbook"
DOCUMENTS = sorted((HANDBOOK / "test-documents").glob("*.md"))
QUERIES = json.loads((HANDBOOK / "test-queries.json").read_text(encoding="utf-8"))["queries"]

KINDS = [
    "api-reference",
    "architecture-overview",
    "authentication-guide",
    "cli-reference",
    "configuration-reference",
    "database-schema",
    "deployment-guide",
    "faq",
    "glossary",
    "incident-runbook",
    "performance-tuning",
    "release-notes",
    "security-guide",
    "troubleshooting",
    "upgrade-guide",
]

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.stem)


def sections(document: Path) -> list[tuple[str, str]]:
    """Split a document at its headings, each with the text up to the next one."""
    found: list[tuple[str, list[str]]] = []
    is_code = False
    for line in document.read_text(encoding="utf-8").splitlines():
        is_code ^= line.startswith("```")
        heading = None if is_code else re.fullmatch(r"#{1,6} (.+)", line)
        if heading:
            found.append((heading[1], []))
        else:
            found[-1][1].append(line)
    return [(heading, "\n".join(lines)) for heading, lines in found]


def slug(heading: str) -> str:
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


def test_documents_are_many_and_diverse():
    """X1: at least 24 documents, including the kinds that every product has."""
    assert len(DOCUMENTS) >= 24
    assert set(KINDS) <= {document.stem for document in DOCUMENTS}


def test_chunks_are_many():
    """There are at least 220 headings, as many as the README states."""
    n_chunks = sum(len(sections(document)) for document in DOCUMENTS)
    readme = (HANDBOOK / "README.md").read_text(encoding="utf-8")
    assert n_chunks >= 220
    assert f"{len(DOCUMENTS)} documents with {n_chunks} headings" in readme


@every_document
def test_every_heading_identifies_one_chunk(document):
    """Slugs are unique within a file and never empty, since ids contain them."""
    slugs = [slug(heading) for heading, _ in sections(document)]
    assert all(slugs)
    assert [name for name, times in Counter(slugs).items() if times > 1] == []


@every_document
def test_no_section_is_empty(document):
    """Each heading has its own text, longer than a sentence and shorter than a page."""
    for heading, text in sections(document):
        assert 25 <= len(text.split()) <= 250, heading


@every_document
def test_hashes_occur_only_in_headings(document):
    """Splitting gives the same chunks whether or not code blocks are recognised."""
    lines = document.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert sum(line.startswith("#") for line in lines) == len(sections(document))
    assert sum(line.startswith("```") for line in lines) % 2 == 0


def test_queries_are_numbered():
    """X1: exactly Q001 to Q050, in order."""
    assert [query["id"] for query in QUERIES] == [f"Q{number:03}" for number in range(1, 51)]


def test_queries_have_the_documented_categories():
    """X2: the number of queries of each category."""
    assert Counter(query["category"] for query in QUERIES) == {
        "factual": 15,
        "conceptual": 12,
        "procedural": 10,
        "comparative": 8,
        "troubleshoot": 5,
    }


def test_queries_have_the_documented_difficulties():
    """X2: the number of queries of each difficulty."""
    difficulties = Counter(query["difficulty"] for query in QUERIES)
    assert difficulties == {"easy": 20, "medium": 20, "hard": 10}


@pytest.mark.parametrize(
    ("query_id", "subject", "category", "difficulty"),
    [
        ("Q001", "configure OAuth", "procedural", "easy"),
        ("Q015", "chunking strategies", "comparative", "medium"),
        ("Q042", "inaccurate after re-indexing", "troubleshoot", "hard"),
    ],
)
def test_three_queries_are_fixed(query_id, subject, category, difficulty):
    """X2: their number, subject, category and difficulty do not change."""
    query = next(query for query in QUERIES if query["id"] == query_id)
    assert subject in query["query"]
    assert (query["category"], query["difficulty"]) == (category, difficulty)


def test_queries_look_like_typed_queries():
    """X1: five fields; unique texts of 3 to 12 words, and a description of the intent."""
    for query in QUERIES:
        assert list(query) == ["id", "query", "category", "difficulty", "description"]
        assert 3 <= len(query["query"].split()) <= 12, query["id"]
        assert len(query["description"].split()) >= 12, query["id"]
    assert len({query["query"] for query in QUERIES}) == len(QUERIES)
    assert len({query["description"] for query in QUERIES}) == len(QUERIES)


def test_examples_of_the_guideline_are_chunks_but_not_queries():
    """X3: examples use existing chunks, and queries that are not judged."""
    guideline = (HANDBOOK / "GUIDELINE.md").read_text(encoding="utf-8")
    chunks = {f"{path.name}#{slug(heading)}" for path in DOCUMENTS for heading, _ in sections(path)}
    named = re.findall(r"`([\w-]+\.md#[\w-]+)`", guideline)
    assert named
    assert [chunk for chunk in named if chunk not in chunks] == []
    assert [query["id"] for query in QUERIES if query["query"] in guideline] == []


def test_every_chunk_has_questions_and_none_is_a_query():
    """X6: the writers saw no queries, and accidental matches were removed."""
    questions = json.loads((HANDBOOK / "document-questions.json").read_text(encoding="utf-8"))
    assert set(questions) == {
        f"{path.name}#{slug(heading)}" for path in DOCUMENTS for heading, _ in sections(path)
    }
    assert list(questions) == sorted(questions)
    queries = {words(query["query"]) for query in QUERIES}
    for chunk, asked in questions.items():
        texts = [words(question) for question in asked]
        assert len(set(texts)) == len(texts) >= 20, chunk
        assert max(len(question.split()) for question in asked) <= 16, chunk
        assert queries.isdisjoint(texts), chunk


def words(text: str) -> str:
    """Return the words of a text."""
    return " ".join(re.findall(r"\w+", text.lower()))
