"""The formats of public collections that the study of hybrid search reads."""

import pytest

study = pytest.importorskip("study_hybrid", reason="no scripts in a source distribution")

SMART = """.I 1
.T
of titles
.W
of titles repeated, and
 a text .
.X
1 5 1
.I 2
.T
another
.W
"""


def write(folder, **files):
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="latin-1")


def test_smart_has_fields(tmp_path):
    """Text is joined, a repeated title removed, and other fields are ignored."""
    write(tmp_path, ADI_ALL=SMART, ADI_QRY=".I 1\n.W\nwhich\ntitles?\n.I 2\n.W\nnothing\n",
          ADI_REL="1   1   0   0.000000\n1   1   0   0.0\n1   9   0\n2   9   0\n")  # fmt: skip
    [one] = study.read_collections(tmp_path)
    assert [(d.doc_id, d.title, d.text) for d in one.documents] == [
        ("1", "of titles", "repeated, and a text ."),
        ("2", "another", ""),
    ]
    assert one.queries == {"1": "which titles?"}, "the other one has no known document"
    assert one.judgments.to_dict() == {"1": {"1": 1.0}}


def test_cranfield_numbers_queries_by_their_order(tmp_path):
    """Ids of queries have gaps; every pair is relevant, whatever its code."""
    (tmp_path / "cran.all.1400").write_text(SMART)
    (tmp_path / "cran.qry").write_text(".I 001\n.W\nfirst\n.I 004\n.W\nsecond\n")
    (tmp_path / "cranqrel").write_text("1 1 2 \n2 2 3\n2 1 -1\n")
    [one] = study.read_collections(tmp_path)
    assert one.queries == {"1": "first", "2": "second"}
    assert one.relevant == {"1": ["1"], "2": ["2", "1"]}


def test_npl_has_records_that_end_in_a_slash(tmp_path):
    """Queries are in capitals."""
    (tmp_path / "npl-doc-text").write_text("\n1\ncompact\nmemories\n   /\n2\nan\n   /\n")
    (tmp_path / "npl-query-text").write_text("1\nUSE OF\n/\n")
    (tmp_path / "npl-rlv-ass").write_text("1\n  2   1\n   /\n")
    [one] = study.read_collections(tmp_path)
    assert [(d.doc_id, d.text) for d in one.documents] == [("1", "compact memories"), ("2", "an")]
    assert (one.queries, one.relevant) == ({"1": "use of"}, {"1": ["2", "1"]})


def test_cacm_has_leading_zeros(tmp_path):
    """Ids of judgments are those of queries and documents."""
    write(tmp_path, cacm_all=SMART, query_text=".I 1\n.W\nsystems\n.N\n 1. somebody\n",
          qrels_text="01 0002  0 0\n")  # fmt: skip
    [one] = study.read_collections(tmp_path)
    assert (one.name, one.queries, one.relevant) == ("CACM", {"1": "systems"}, {"1": ["2"]})


def test_a_study_prints_means_and_differences(tmp_path, monkeypatch, capsys):
    """There is one row per collection and one for all, with the interval of each difference."""
    pytest.importorskip("tantivy")
    texts = ("ripe bananas", "grey elephants", "quiet rivers", "renewed tokens")
    write(tmp_path,
          ADI_ALL="".join(f".I {i}\n.W\n{text}\n" for i, text in enumerate(texts, 1)),
          ADI_QRY="".join(f".I {i}\n.W\n{text}\n" for i, text in enumerate(texts, 1)),
          ADI_REL="".join(f"{i} {i}\n" for i in range(1, 5)))  # fmt: skip
    monkeypatch.setattr("sys.argv", ["study", str(tmp_path), "--settings", "1,1,0,0,0.5"])
    study.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| collection | queries | bm25 | vector | hybrid | 1,1,0,0,0.5 |"
    assert lines[2] == "| ADI | 4 | 1.000 | 1.000 | 1.000 | 1.000 |"
    assert lines[-1].startswith("| all queries | +0.000")


def test_med_has_a_zero_between_query_and_document(tmp_path):
    """TREC's judgments have it as well, unlike the other collections."""
    write(tmp_path, MED_ALL=".I 13\n.W\nof lenses\n", MED_QRY=".I 1\n.W\nlenses\n",
          MED_REL="1 0 13 1\n")  # fmt: skip
    [one] = study.read_collections(tmp_path)
    assert one.relevant == {"1": ["13"]}
