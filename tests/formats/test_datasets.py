"""Data sets of other tools: queries, documents and judgments in one piece."""

import json
import logging
import sys
from collections import namedtuple
from types import ModuleType

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.core.content_id import content_id
from berryeval.errors import ArgumentError, FormatError, InputTypeError, MismatchError

QA = {
    "queries": {"q1": "How do I renew a token?", "q2": "Where does Docker run?"},
    "corpus": {"n1": "Renew the token.", "n2": "Run the container."},
    "relevant_docs": {"q1": ["n1"], "q2": ["n2"]},
    "mode": "text",
}
"""The output of ``EmbeddingQAFinetuneDataset.save_json`` of LlamaIndex."""

SAMPLES = [
    {
        "user_input": "How do I renew a token?",
        "reference_contexts": ["Renew  the\ntoken."],
        "reference": "Every hour.",
        "synthesizer_name": "single_hop_specific_query_synthesizer",
    },
    {
        "user_input": "What runs, and where?",
        "reference_contexts": ["<1-hop>\n\nRun the container.", "<2-hop>\n\nUse a volume, too."],
        "reference": "The container.",
        "synthesizer_name": "multi_hop_abstract_query_synthesizer",
    },
]
"""The output of ``Testset.to_jsonl`` of Ragas 0.4."""

CHUNKS = [
    be.Document("c1", "Renew the token."),
    be.Document("c2", "Run the container. Or do not."),
    be.Document("c3", "Use a volume"),
    be.Document("c4", "A cache."),
]


def write(path, content):
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


class TestDataset:
    """Three dicts, the form of other libraries in memory."""

    def test_beir_and_mteb_have_three_dicts(self):
        """Texts may have a title, and grades may be missing."""
        data = be.Dataset.of(
            {"q1": "a", 2: "b"},
            {"d1": {"title": "T", "text": "x"}, 7: "y"},
            {"q1": {"d1": 2, 7: 0}, 2: [7]},
        )
        assert [query.query_id for query in data.queries] == ["q1", "2"]
        assert data.judgments.to_dict() == {"q1": {"d1": 2.0, "7": 0.0}, "2": {"7": 1.0}}
        assert [(d.doc_id, d.title, d.text) for d in data.iter_documents()] == [
            ("d1", "T", "x"),
            ("7", "", "y"),
        ]
        assert repr(data) == "<Dataset: 2 queries, 3 judgments>"

    def test_documents_need_a_text(self):
        """The message says what was expected."""
        with pytest.raises(InputTypeError, match="corpus: expected texts, or mappings with"):
            be.Dataset.of({}, {"d1": 7}, {})

    def test_what_is_written_can_be_read_by_every_command(self, tmp_path):
        """The folder is BEIR's, and the documents, queries and judgments are the same."""
        data = be.Dataset.of(
            QA["queries"], QA["corpus"], {"q1": {"n1": 2, "n2": 0.5}, "q2": {"n\t2": 1}}
        )
        data.write(tmp_path / "new" / "folder", split="dev")
        again = be.read_dataset(tmp_path / "new" / "folder", split="dev")
        assert again.judgments == data.judgments
        assert again.queries == data.queries
        assert again.documents == data.documents
        assert (tmp_path / "new/folder/qrels/dev.tsv").read_text().splitlines()[1] == "q1\tn1\t2"

    def test_a_folder_that_cannot_be_created_is_an_error(self, tmp_path):
        """The message has the system's reason."""
        write(tmp_path / "file", "x")
        with pytest.raises(FormatError, match="cannot be created: Not a directory"):
            be.Dataset.of({}, {}, {}).write(tmp_path / "file" / "folder")


class TestLlamaIndex:
    """``EmbeddingQAFinetuneDataset``."""

    def test_a_file_is_read(self, tmp_path):
        """Ids of documents are those of nodes."""
        data = be.read_dataset(write(tmp_path / "qa.json", QA))
        assert {query.query_id: query.text for query in data.queries} == QA["queries"]
        assert data.judgments.to_dict() == {"q1": {"n1": 1.0}, "q2": {"n2": 1.0}}
        assert data.documents["n2"].text == "Run the container."

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"corpus": None}, "expected an object 'corpus', found NoneType"),
            ({"corpus": {"n1": 7}}, r"expected text as corpus\['n1'\], found int"),
            ({"queries": {"q1": None}}, r"expected text as queries\['q1'\], found NoneType"),
            ({"relevant_docs": {"q1": "n1"}}, r"list of ids as relevant_docs\['q1'\], found str"),
            ({"relevant_docs": {"q9": ["n1"]}}, "the query 'q9', which queries does not have"),
        ],
    )
    def test_another_structure_is_an_error(self, tmp_path, change, message):
        """The message says where it is."""
        with pytest.raises(FormatError, match=message):
            be.read_dataset(write(tmp_path / "qa.json", {**QA, **change}))

    def test_broken_json_is_an_error(self, tmp_path):
        """So is another kind of file."""
        with pytest.raises(FormatError, match="expected JSON"):
            be.read_dataset(write(tmp_path / "qa.json", '{"queries": {'), format="llamaindex")
        with pytest.raises(FormatError, match="a LlamaIndex or Ragas file"):
            be.read_dataset(write(tmp_path / "a.run", "q1 Q0 d1 1 0.5 x\n"))


class TestRagas:
    """Test sets of Ragas."""

    @pytest.fixture(params=["jsonl", "json", "csv"])
    def path(self, request, tmp_path):
        """Write the samples like Ragas, or like pandas."""
        path = tmp_path / f"testset.{request.param}"
        if request.param == "jsonl":
            return write(path, "".join(json.dumps(sample) + "\n" for sample in SAMPLES))
        if request.param == "json":
            return write(path, SAMPLES)
        rows = [",".join(SAMPLES[0])]
        for sample in SAMPLES:
            fields = (str(value).replace('"', '""') for value in sample.values())
            rows.append(",".join(f'"{field}"' for field in fields))
        return write(path, "\n".join(rows) + "\n")

    def test_contexts_are_documents(self, path):
        """A retriever that identifies documents by their text finds them."""
        data = be.read_dataset(path)
        assert [(query.query_id, query.category) for query in data.queries] == [
            ("1", "single_hop_specific_query_synthesizer"),
            ("2", "multi_hop_abstract_query_synthesizer"),
        ]
        run, volume = content_id("Run the container."), content_id("Use a volume, too.")
        assert data.judgments.to_dict() == {
            "1": {content_id("Renew the token."): 1.0},
            "2": {run: 1.0, volume: 1.0},
        }
        found = be.evaluate_system(
            lambda _query, _k: [{"text": "A cache."}, {"text": "Run the container."}],
            data.queries,
            [2],
            judgments=data.judgments,
            settings={"id": "hash"},
        )
        assert [result.recall[2] for result in found.results] == [0, 0.5]

    def test_contexts_are_matched_to_chunks(self, path):
        """Texts match if they are equal, or if one contains the other."""
        data = be.read_dataset(path, documents=CHUNKS)
        assert data.judgments.to_dict() == {"1": {"c1": 1.0}, "2": {"c2": 1.0, "c3": 1.0}}
        assert list(data.documents) == ["c1", "c2", "c3", "c4"]

    def test_unmatched_contexts_count_as_not_found(self, path, caplog):
        """They stay relevant, under the hash of their text, with a warning."""
        with caplog.at_level(logging.WARNING):
            data = be.read_dataset(path, documents=CHUNKS[:1])
        assert data.judgments.to_dict()["1"] == {"c1": 1.0}
        assert len(data.judgments.to_dict()["2"]) == 2
        (record,) = caplog.records
        assert (record.unmatched, record.contexts) == (2, 3)
        with pytest.raises(MismatchError, match=r"no reference context matches .*'Renew  the\\nto"):
            be.read_dataset(path, documents=CHUNKS[3:])

    def test_ids_of_contexts_are_used(self, tmp_path):
        """Ragas has them for its ID-based metrics; 0.1 had other names."""
        rows = [
            {"id": "a", "question": "What?", "reference_context_ids": [7, "c2"]},
            {"id": "b", "question": "Where?", "contexts": ["There."]},
        ]
        data = be.read_dataset(write(tmp_path / "t.json", rows))
        assert data.judgments.to_dict() == {
            "a": {"7": 1.0, "c2": 1.0},
            "b": {content_id("There."): 1.0},
        }

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ({"user_input": ["Hi"]}, "found list; conversations of several turns are not supp"),
            ({"user_input": ""}, "expected a question as user_input, found str"),
            ({"user_input": "a"}, "expected a list as reference_contexts, found none"),
            ({"user_input": "a", "reference_contexts": "[1"}, "a list as reference_contexts"),
            ({"user_input": "a", "reference_contexts": [1]}, "text as a context, found int"),
            ({"user_input": "a", "reference_context_ids": [1.5]}, "text or a whole number"),
        ],
    )
    def test_another_structure_is_an_error(self, tmp_path, row, message):
        """The message has the line."""
        path = write(tmp_path / "t.jsonl", json.dumps(row) + "\n")
        with pytest.raises(FormatError, match=message) as caught:
            be.read_dataset(path)
        assert caught.value.line == 1

    def test_each_query_has_one_row(self, tmp_path):
        """Likewise, each row is one object."""
        row = {"id": "a", "user_input": "x", "reference_contexts": []}
        with pytest.raises(FormatError, match="query 'a' occurs twice"):
            be.read_dataset(write(tmp_path / "t.json", [row, row]))
        with pytest.raises(FormatError, match=":1: expected a JSON object, found int"):
            be.read_dataset(write(tmp_path / "t.json", [row, 7]))
        with pytest.raises(FormatError, match=":1: expected a JSON object, found something else"):
            be.read_dataset(write(tmp_path / "t.json", '[{"user_input": "x"'), format="ragas")


class TestMteb:
    """Folders of MTEB and Hugging Face."""

    CORPUS = ({"_id": "d1", "title": "T", "text": "x"}, {"_id": "d2", "title": "", "text": "y"})
    QUERIES = ({"_id": "q1", "text": "a"}, {"_id": "q2", "text": "b"})
    QRELS = ({"query-id": "q1", "corpus-id": "d2", "score": 1},)

    def lines(self, rows):
        return "".join(json.dumps(row) + "\n" for row in rows)

    def check(self, data):
        assert [query.query_id for query in data.queries] == ["q1"]
        assert data.judgments.to_dict() == {"q1": {"d2": 1.0}}
        assert [(d.doc_id, d.title) for d in data.iter_documents()] == [("d1", "T"), ("d2", "")]

    def test_json_lines_with_qrels_by_split(self, tmp_path):
        """Queries without judgments in the split are left out."""
        (tmp_path / "qrels").mkdir()
        write(tmp_path / "corpus.jsonl", self.lines(self.CORPUS))
        write(tmp_path / "queries.jsonl", self.lines(self.QUERIES))
        write(tmp_path / "qrels" / "test.jsonl", self.lines(self.QRELS))
        self.check(be.read_dataset(tmp_path))
        with pytest.raises(FormatError, match=r"expected qrels of the split 'dev'.*qrels has test"):
            be.read_dataset(tmp_path, split="dev")

    def test_parquet_in_shards(self, tmp_path):
        """This is the Hub's layout: a folder per part, and one or more files per split."""
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")

        def store(name, rows):
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path)

        store("corpus/corpus-00000-of-00002.parquet", self.CORPUS[:1])
        store("corpus/corpus-00001-of-00002.parquet", self.CORPUS[1:])
        store("queries/test-00000-of-00001.parquet", self.QUERIES)
        store("queries/dev-00000-of-00001.parquet", [{"_id": "q3", "text": "c"}])
        store("qrels/test-00000-of-00001.parquet", self.QRELS)
        self.check(be.read_dataset(tmp_path))

    def test_a_missing_part_is_named(self, tmp_path):
        """The message lists what there is."""
        write(tmp_path / "queries.jsonl", self.lines(self.QUERIES))
        with pytest.raises(FormatError, match="expected corpus of the split 'test', found queries"):
            be.read_dataset(tmp_path)


class TestIrDatasets:
    """The package ir_datasets, replaced by a module with the same functions."""

    @pytest.fixture
    def package(self, monkeypatch):
        """Provide one data set, and one without queries."""
        document = namedtuple("Document", "doc_id title text")  # noqa: PYI024 - as the package's
        query = namedtuple("Query", "query_id title")  # noqa: PYI024
        qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")  # noqa: PYI024
        query.default_text = lambda self: self.title

        class Loaded:
            def __init__(self, *, is_complete):
                self.is_complete = is_complete

            def has_queries(self):
                return self.is_complete

            has_qrels = has_docs = has_queries

            def queries_iter(self):
                return iter([query("q1", "a")])

            def docs_iter(self):
                return iter([document("d1", "T", "x")])

            def qrels_iter(self):
                return iter([qrel("q1", "d1", 2, "0")])

        package = ModuleType("ir_datasets")
        found = {"tiny/test": Loaded(is_complete=True), "tiny": Loaded(is_complete=False)}
        package.load = found.__getitem__
        monkeypatch.setitem(sys.modules, "ir_datasets", package)

    @pytest.mark.usefixtures("package")
    def test_a_data_set_is_loaded_by_name(self):
        """Documents are read when they are needed."""
        data = be.read_dataset("ir_datasets:tiny/test")
        assert [(query.query_id, query.text) for query in data.queries] == [("q1", "a")]
        assert data.judgments.to_dict() == {"q1": {"d1": 2.0}}
        assert data.documents["d1"].title == "T"

    @pytest.mark.usefixtures("package")
    def test_what_it_does_not_have_is_an_error(self):
        """The message names the part."""
        with pytest.raises(FormatError, match="ir_datasets has no such data set"):
            be.read_dataset("ir_datasets:large")
        with pytest.raises(FormatError, match="expected queries, found none; choose one of its"):
            be.read_dataset("ir_datasets:tiny")

    def test_without_the_package_the_message_names_it(self, monkeypatch):
        """It is not a dependency."""
        monkeypatch.setitem(sys.modules, "ir_datasets", None)
        with pytest.raises(ArgumentError, match="got none; pip install ir_datasets"):
            be.read_dataset("ir_datasets:tiny")


def test_arguments_that_have_no_effect_are_rejected(tmp_path):
    """Documents belong to Ragas, and formats have names."""
    path = write(tmp_path / "qa.json", QA)
    with pytest.raises(ArgumentError, match="documents: expected none, since the data set has its"):
        be.read_dataset(path, documents=CHUNKS)
    with pytest.raises(ArgumentError, match="format: expected 'llamaindex' or 'ragas'"):
        be.read_dataset(path, format="beir")


def test_the_command_writes_a_folder(tmp_path):
    """Reference contexts are matched to the documents of a file."""
    write(tmp_path / "t.jsonl", "".join(json.dumps(sample) + "\n" for sample in SAMPLES))
    lines = (json.dumps({"_id": d.doc_id, "text": d.text}) + "\n" for d in CHUNKS)
    write(tmp_path / "chunks.jsonl", "".join(lines))
    arguments = ["dataset", str(tmp_path / "t.jsonl"), str(tmp_path / "golden")]
    done = CliRunner().invoke(main, [*arguments, "--documents", str(tmp_path / "chunks.jsonl")])
    assert done.exit_code == 0, done.output
    assert done.output.endswith("golden: 2 queries, 3 judgments\n")
    assert be.read_judgments(tmp_path / "golden").to_dict()["1"] == {"c1": 1.0}
    assert CliRunner().invoke(main, ["dataset", str(tmp_path / "none"), "x"]).exit_code == 2


QUESTIONS = {
    "a.csv": 'question,expected_docs\nHow?,"a.md, b.md"\nWhere?,c.md\n',
    "b.csv": "id,Question,Expected Doc IDs,answer\n1,How?,a.md;b.md,So\n2,Where?,c.md,\n",
    "c.tsv": "query\tdoc_id\nHow?\ta.md\nHow?\tb.md\nWhere?\tc.md\n",
    "d.csv": "question;relevant_chunks\nHow?;['a.md', 'b.md']\nWhere?;c.md\n",
    "e.jsonl": '{"question": "How?", "expected": ["a.md", "b.md"]}\n'
    '{"question": "Where?", "expected": "c.md"}\n',
    "f.json": '[{"query": "How?", "gold_sources": {"a.md": 1, "b.md": 1}},\n'
    ' {"query": "Where?", "gold_sources": ["c.md"]}]',
}


class TestQuestions:
    """A file of questions with the documents that should be found."""

    @pytest.mark.parametrize("name", QUESTIONS)
    def test_files_as_people_write_them(self, name, tmp_path):
        """Lists, separators, or one row per document; ids are given, or numbers."""
        data = be.read_dataset(write(tmp_path / name, QUESTIONS[name]))
        assert {one.query_id: one.text for one in data.queries} == {"1": "How?", "2": "Where?"}
        assert data.judgments.to_dict() == {"1": {"a.md": 1, "b.md": 1}, "2": {"c.md": 1}}

    def test_a_folder_without_a_corpus_can_be_used(self, tmp_path):
        """The documents are those of the system."""
        be.read_dataset(write(tmp_path / "a.csv", QUESTIONS["a.csv"])).write(tmp_path / "golden")
        assert not (tmp_path / "golden" / "corpus.jsonl").exists()
        run = {"1": ["a.md", "b.md"], "2": ["x"]}
        assert be.evaluate(tmp_path / "golden", run, "R@2")["R@2"].mean == 0.5
        found = be.evaluate_system(
            lambda query: {"How?": ["a.md"]}.get(query, []),
            tmp_path / "golden",
            judgments=tmp_path / "golden",
        )
        assert found.summary.mean_recall[5] == 0.25

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("question,answer\nHow?,So\n", "a.csv:1: expected a column with the documents of each"),
            ("question,expected_docs\n", "a.csv:2: expected questions below the header"),
            ("question,expected_docs\nHow?,\n", "a.csv:2: .* as expected_docs, found ''; remove"),
            ("question,expected_docs\n,a.md\n", "a.csv:2: expected a question as question"),
            ("id,question,doc\n1,How?,a\n1,Why?,b\n", "a.csv:3: query '1' occurs twice, with"),
            (
                "frage,ids\nWie?,a\n",
                "a.csv: expected questions with .*found columns 'frage', 'ids'; n",
            ),
            ("sku,customer question,old question,doc\n1,a,b,c\n", "found columns 'sku', 'custome"),
            ("", "a.csv: expected questions or a data set, found nothing"),
        ],
    )
    def test_mistakes_are_named(self, content, message, tmp_path):
        """With the line, and what is expected there."""
        with pytest.raises(FormatError, match=message):
            be.read_dataset(write(tmp_path / "a.csv", content))

    @pytest.mark.parametrize(
        "header",
        ["Nr,Customer question,Correct articles,Comment", "Title,Query text (chat),Relevant KB,Nr"],
    )
    def test_columns_are_recognised_by_their_words(self, header, tmp_path):
        """If exactly one column has such a name, no option is needed."""
        data = be.read_dataset(write(tmp_path / "a.csv", f"{header}\n7,How?,a.md,x\n"))
        assert [(one.query_id, one.text) for one in data.queries] == [("1", "How?")]
        assert data.judgments.to_dict() == {"1": {"a.md": 1}}

    def test_columns_can_be_named(self, tmp_path):
        """Nothing has to be recognised then; a misspelt name shows all of them."""
        path = write(tmp_path / "a.csv", "Nr,Frage,Artikel\n7,Wie?,a.md\n")
        columns = {"question": "Frage", "relevant": "Artikel", "id": "Nr"}
        data = be.read_dataset(path, columns=columns)
        assert data.judgments.to_dict() == {"7": {"a.md": 1}}
        with pytest.raises(FormatError, match="a column 'Nummer', found 'nr', 'frage', 'artikel'"):
            be.read_dataset(path, columns={**columns, "id": "Nummer"})
        with pytest.raises(be.ArgumentError, match="since only files of questions have any"):
            be.read_dataset(path, columns=columns, format="ragas")

    @pytest.mark.parametrize(
        "cell",
        ["SUP-101 SUP-102", "SUP-101 / SUP-102", "SUP-101 and SUP-102", "SUP-101/SUP-102",
         "SUP-101 (also SUP-102)", '"SUP-101 (also SUP-102, SUP-101)"'],
    )  # fmt: skip
    def test_ids_are_separated_where_that_is_safe(self, cell, tmp_path):
        """All parts look like the other ids of the file."""
        content = f"question,doc\nHow?,{cell}\nWhere?,SUP-7\n"
        data = be.read_dataset(write(tmp_path / "a.csv", content))
        assert data.judgments.to_dict() == {"1": {"SUP-101": 1, "SUP-102": 1}, "2": {"SUP-7": 1}}
        assert data.cautions == ()

    def test_ids_with_spaces_and_slashes_are_kept(self, tmp_path):
        """Paths and titles have them; a cell with more than an id is a caution."""
        rows = ["docs/a.md", "Gift cards", "readme", "SUP-7", "SUP-1 or the return form"]
        content = "question,doc\n" + "".join(f"{i}?,{row}\n" for i, row in enumerate(rows))
        data = be.read_dataset(write(tmp_path / "a.csv", content))
        assert [doc for docs in data.judgments.to_dict().values() for doc in docs] == rows
        [caution] = data.cautions
        assert caution.endswith(
            "a.csv:6: 'SUP-1 or the return form' is read as one id; separate several ids with "
            "semicolons"
        )
