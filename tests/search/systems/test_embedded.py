"""The in-process search engine."""

import json

import numpy as np
import pytest

from berryeval.core import Document
from berryeval.errors import (
    ArgumentError,
    FormatError,
    MismatchError,
    MissingExtraError,
    SystemUnderTestError,
)
from berryeval.search.hits import Hit
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.hybrid import HybridSettings
from berryeval.search.systems.lexical import LexicalIndex, _analyzer
from berryeval.search.systems.rank_fusion import fuse_hits
from berryeval.search.systems.vectors import VectorIndex
from search.contract import DOCUMENTS, Contract

MODES = ["bm25", "vector", "hybrid"]


class TestBM25(Contract):
    """BM25 in memory."""

    @pytest.fixture
    def system(self):
        made = Embedded("bm25")
        made.index(DOCUMENTS)
        return made


class TestVector(Contract):
    """Exact vectors in memory."""

    finds_by_words = False

    @pytest.fixture
    def system(self):
        made = Embedded("vector")
        made.index(DOCUMENTS)
        return made


class TestHybrid(Contract):
    """Both on disk, opened again."""

    finds_by_words = False

    @pytest.fixture
    def system(self, tmp_path):
        Embedded(path=tmp_path / "new" / "index").index(DOCUMENTS)
        return Embedded(path=tmp_path / "new" / "index")


class TestApproximate(Contract):
    """Vectors with usearch."""

    finds_by_words = False

    @pytest.fixture
    def system(self):
        pytest.importorskip("usearch")
        made = Embedded("vector", approximate=True)
        made.index(DOCUMENTS)
        return made


@pytest.mark.parametrize("mode", MODES)
def test_an_index_on_disk_returns_the_same_as_in_memory(mode, tmp_path):
    """X4: this holds for BM25, vectors and hybrid."""
    memory, disk = Embedded(mode), Embedded(mode, path=tmp_path)
    assert memory.index(DOCUMENTS) == disk.index(DOCUMENTS) == len(DOCUMENTS)
    opened = Embedded(mode, path=tmp_path)
    for query in ("renewing tokens", "slow", "cluster"):
        assert memory.search(query, 5) == disk.search(query, 5) == opened.search(query, 5)
    assert memory.fingerprint() == opened.fingerprint()


def test_an_index_on_disk_is_replaced_atomically(tmp_path):
    """A failed attempt keeps the old index; a successful one removes it."""

    def model(texts):
        if "boom" in texts:
            raise ValueError("no model")
        return [[1.0, len(text)] for text in texts]

    system = Embedded("vector", path=tmp_path, embedder=model)
    system.index(DOCUMENTS)
    with pytest.raises(SystemUnderTestError, match=r"model: ValueError: no model"):
        system.index([Document("d", "boom")])
    opened = Embedded("vector", path=tmp_path, embedder=model)
    assert opened.search("cache", 3) == system.search("cache", 3)
    system.index(DOCUMENTS[:2])
    assert len(Embedded("vector", path=tmp_path, embedder=model).search("cache", 9)) == 2
    assert len(list(tmp_path.iterdir())) == 2


def test_words_match_by_their_stems():
    """X4: lexical search uses English stemming."""
    system = Embedded("bm25")
    system.index(DOCUMENTS)
    assert [hit.doc_id for hit in system.search("renewing", 5)] == ["auth.md#tokens"]


def test_stop_words_are_ignored():
    """Words such as how, what and the are rare in a small collection, but find nothing."""
    system = Embedded("bm25")
    system.index([*DOCUMENTS, Document("what", "What the how?", "How do you")])
    assert [hit.doc_id for hit in system.search("how is the cache?", 5)] == ["tuning.md#cache"]
    assert system.search("what is the", 5) == []


def test_vectors_find_documents_without_common_words():
    """X4: vector search matches meanings."""
    vector, words = Embedded("vector"), Embedded("bm25")
    for system in (vector, words):
        system.index(DOCUMENTS)
    assert words.search("login credentials", 3) == []
    found = [hit.doc_id for hit in vector.search("login credentials", 3)]
    assert found
    assert found[0].startswith("auth.md")


def test_title_weight_sets_the_weight_of_titles():
    """0 ignores titles, and a high weight ranks them above the text."""
    documents = [Document("title", "nothing here", "cache"), Document("text", "cache " * 5)]
    found = {}
    for weight in (0, 1, 100):
        system = Embedded("bm25", title_weight=weight)
        system.index(documents)
        found[weight] = [hit.doc_id for hit in system.search("cache", 5)]
    assert found[0] == ["text"]
    assert found[100] == ["title", "text"]


def test_ties_at_the_cutoff_are_broken_by_id():
    """The highest ids are kept, in any order of indexing."""
    documents = [Document(f"d{i:03}", "the same text") for i in range(200)]
    for order in (documents, documents[::-1]):
        for mode in ("bm25", "vector"):
            system = Embedded(mode)
            system.index(order)
            found = [hit.doc_id for hit in system.search("same text", 3)]
            assert found == ["d199", "d198", "d197"]


def test_fusion_adds_reciprocal_ranks():
    """a: 1/61 + 2/62; b: 1/62 + 2/61; c: 2/63."""
    lexical = [Hit("a", 7.0), Hit("b", 5.0)]
    vector = [Hit("b", 0.9), Hit("a", 0.8), Hit("c", 0.1)]
    fused = fuse_hits([lexical, vector], 3, weights=(1, 2))
    assert fused == [
        ("b", pytest.approx(1 / 62 + 2 / 61)),
        ("a", pytest.approx(1 / 61 + 2 / 62)),
        ("c", pytest.approx(2 / 63)),
    ]
    assert fuse_hits([lexical, vector], 3, weights=(1, 0)) == [
        ("a", pytest.approx(1 / 61)),
        ("b", pytest.approx(1 / 62)),
    ]


def test_hybrid_is_the_fusion_of_its_parts():
    """Weights and constant apply as in the fusion itself."""
    settings = {"fusion": "ranks", "weights": (3.0, 1.0), "constant": 10.0, "depth": 4}
    parts = [Embedded("bm25"), Embedded("vector")]
    hybrid = Embedded("hybrid", **settings)
    for system in (*parts, hybrid):
        system.index(DOCUMENTS)
    rankings = [part.search("deploy token cache", 4) for part in parts]
    expected = fuse_hits(rankings, 3, weights=(3, 1), constant=10)
    assert hybrid.search("deploy token cache", 3) == expected
    assert hybrid.fingerprint() == {
        "system": "embedded",
        "mode": "hybrid",
        "embedder": "wordllama-l2-supercat-256",
        "title_weight": "1",
        "fusion": "ranks",
        "weights": "3 1",
        "constant": "10",
        "depth": "4",
        "nearest": "exact",
    }


def test_approximate_vectors_agree_with_exact_ones():
    """At least nine of the ten nearest are the same, with equal cosines."""
    pytest.importorskip("usearch")
    random = np.random.default_rng(7)
    vectors = random.normal(size=(2000, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    exact, near = VectorIndex(vectors), VectorIndex(vectors, approximate=True)
    n_common = 0
    for vector in vectors[:50]:
        true, found = dict(exact.nearest(vector, 10)), dict(near.nearest(vector, 10))
        n_common += len(true.keys() & found.keys())
        for number in true.keys() & found.keys():
            assert found[number] == pytest.approx(true[number], abs=1e-6)
    assert n_common >= 450


def test_searching_before_indexing_is_reported():
    """The same message appears after closing, and suggests what to do."""
    system = Embedded("bm25")
    with pytest.raises(
        SystemUnderTestError, match=r"bm25: nothing is indexed; name documents, or call index\("
    ):
        system.search("oauth", 5)
    system.index(DOCUMENTS)
    system.close()
    with pytest.raises(SystemUnderTestError, match="nothing is indexed"):
        system.search("oauth", 5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "bm52"}, "mode: expected 'bm25' or 'vector' or 'hybrid', got 'bm52'"),
        ({"weights": (1,)}, "weights: expected two numbers of at least 0, not both 0"),
        ({"weights": (0, 0)}, "weights: expected two numbers of at least 0, not both 0"),
        ({"weights": (-1, 1)}, "weights: expected two numbers of at least 0, not both 0"),
        ({"constant": -1}, "constant: expected a number from 0"),
        ({"fusion": "votes"}, "fusion: expected 'scores' or 'ranks', got 'votes'"),
        ({"late": -1}, "late: expected a number from 0"),
        ({"feedback": -1}, "feedback: expected a number of documents from 0"),
        ({"depth": 0}, "depth: expected at least 1"),
        ({"title_weight": -1}, "title_weight: expected a number from 0"),
        ({"embedder": "model"}, "embedder: expected an embedder or a function, got str"),
    ],
)
def test_invalid_settings_are_rejected(settings, message):
    """The error is raised when the system is created, not when it is searched."""
    with pytest.raises(ArgumentError, match=message):
        Embedded(**settings)


def test_a_folder_with_another_index_is_not_changed(tmp_path):
    """The message shows how that index was built, and what to do."""
    Embedded("bm25", path=tmp_path).index(DOCUMENTS)
    with pytest.raises(MismatchError, match=r"was built with .*'bm25'.*choose another folder"):
        Embedded("hybrid", path=tmp_path)
    assert Embedded("bm25", path=tmp_path).search("oauth", 1)


def test_an_index_without_tokens_is_rejected_for_token_matching(tmp_path):
    """An index for fusing ranks stores less than one for adding scores requires."""
    Embedded(path=tmp_path, fusion="ranks").index(DOCUMENTS)
    with pytest.raises(MismatchError, match=r"'tokens': False.*choose another folder"):
        Embedded(path=tmp_path)


def test_titles_can_be_ignored_or_weighted():
    """Titles count less than, as much as, or more than the text."""
    documents = [Document("title", "nothing", "cache"), Document("text", "cache cache", "other")]
    found = {}
    for weight in (0, 0.5, 1, 9):
        system = Embedded("bm25", title_weight=weight)
        system.index(documents)
        found[weight] = dict(system.search("cache", 5))
    assert set(found[0]) == {"text"}
    assert found[0.5]["text"] == pytest.approx(found[0]["text"] / 2 + found[1]["text"] / 2)
    assert found[1]["title"] < found[1]["text"]
    assert found[9]["title"] > found[9]["text"]


FACTS = {"layout": 2, "mode": "bm25", "tokens": False, "texts": False}


@pytest.mark.parametrize("content", ["{", "[]", json.dumps(FACTS)])
def test_a_folder_that_is_not_an_index_is_an_error(tmp_path, content):
    """The message names damaged and foreign files."""
    (tmp_path / "index.json").write_text(content)
    with pytest.raises(FormatError, match="expected a BerryEval index"):
        Embedded("bm25", path=tmp_path)


def test_a_missing_library_is_named_by_its_extra(monkeypatch):
    """The message names the extra to install."""
    for library in ("tantivy", "usearch", "usearch.index"):
        monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(MissingExtraError, match=r"berryeval\[search\]"):
        Embedded("bm25").index(DOCUMENTS)
    with pytest.raises(MissingExtraError, match=r"berryeval\[approximate\]"):
        Embedded("vector", approximate=True).index(DOCUMENTS)


def test_text_with_lone_surrogates_is_indexed():
    """Surrogates stand for bytes that are not UTF-8, and ids keep them."""
    system = Embedded()
    system.index([Document("\udcff", "cache \udcff", "\udcfe"), Document("b", "")])
    assert system.search("cache", 1)[0].doc_id == "\udcff"


def test_several_settings_give_the_hits_of_single_searches():
    """A large k raises the depth in the same way."""
    several = [HybridSettings((1, 1), 1, 10, 2), HybridSettings((2, 0.5), 0, 0, 2)]
    system = Embedded()
    system.index(DOCUMENTS)
    singles = [Embedded(weights=one.weights, late=one.late, feedback=one.feedback, depth=2)
               for one in several]  # fmt: skip
    for single in singles:
        single.index(DOCUMENTS)
    for query in ("renew an expired token", "zzyzx", ""):
        assert system.search_each(query, 3, several) == [one.search(query, 3) for one in singles]
    with pytest.raises(SystemUnderTestError, match="nothing is indexed"):
        Embedded().search_each("token", 3, several)


def test_an_index_of_an_earlier_version_is_searched():
    """It stores the numbers of documents with the documents instead of in a column."""
    import tantivy

    schema = tantivy.SchemaBuilder().add_integer_field("number", stored=True)
    schema = schema.add_text_field("whole", tokenizer_name="english").build()
    index = tantivy.Index(schema)
    index.register_tokenizer("english", _analyzer())
    writer = index.writer(num_threads=1)
    for number, text in ((7, "renew token"), (3, "ripe bananas")):
        writer.add_document(tantivy.Document(number=number, whole=text))
    writer.commit()
    writer.wait_merging_threads()
    lexical = LexicalIndex(index, 1.0)
    assert [number for number, _ in lexical.best({"banana": 1.0, "ripe": 1.0}, 5)] == [3]
