"""Self-contained HTML pages."""

import base64
import hashlib
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import berryeval as be
from berryeval.core.query import Query
from berryeval.reports.comparison import comparison_table
from berryeval.reports.html import comparison_to_html, document, gate_to_html, tables_to_html
from berryeval.reports.html import query_data as query_data_module
from berryeval.reports.html.focus import Focus, focus_of
from berryeval.reports.html.query_data import OUTCOMES, query_data
from berryeval.reports.layout import Table
from example_results import a_comparison, a_gate, compare_these, example_data

EVIL = "<script>alert(1)</script>\"'&\x00\udcff"
VOID = {"meta", "link", "input", "br"}


class Balanced(HTMLParser):
    """Checks that elements are closed in the reverse order of opening."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        assert not any(name.startswith("on") for name, _ in attrs)
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parsed(html: str) -> Balanced:
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    return parser


def data_of(html: str) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])


@pytest.fixture(scope="module")
def comparison():
    return a_comparison(30)


@pytest.fixture(scope="module")
def page(comparison):
    return comparison_to_html(comparison, a_gate(comparison))


def test_the_verdict_comes_first_on_the_page(page):
    """It is a word, with one sentence as the heading."""
    assert page.index('<p class="badge fail">') < page.index("<h1>hybrid must not ship")
    assert page.index("<h1>") < page.index('class="chart')
    parsed(page)


def test_a_long_sentence_has_a_smaller_font(comparison):
    """The figures below stay visible."""
    long = replace(a_gate(comparison), sentence="nDCG@10 fell by -0.05 " + "and " * 20)
    assert '<h1 class="long">nDCG@10 fell by \u22120.05' in comparison_to_html(comparison, long)


@pytest.mark.parametrize(("new", "verdict"), [(3.0, "pass"), (0.0, "fail"), (0.8, "inconclusive")])
def test_every_verdict_has_a_page(new, verdict):
    """The page shows the words of the gate."""
    comparison = a_comparison(40, {"old": 0.8, "new": new}, measures=["nDCG@10", "RR"])
    result = be.gate(comparison, margin={"nDCG@10": 0.05})
    assert result.verdict == verdict
    page = gate_to_html(result)
    parsed(page)
    assert f'<p class="badge {verdict}">' in page
    assert ">margin<" in page


@pytest.mark.parametrize(
    "runs",
    [
        {"old": {"q": ["d"]}, "new": {"q": ["x", "d"]}},
        {"old": {"q": ["d"]}, "new": {"q": ["d"]}},
        {"old": {"q": ["x"]}, "new": {"q": ["y"]}},
    ],
    ids=["one query", "no change", "all zero"],
)
def test_results_without_statistics_have_a_page(runs):
    """It shows dashes and reasons instead of NaN, and empty charts."""
    comparison = compare_these({"q": {"d": 1}}, runs, measures=["nDCG@10", "RR"])
    page = comparison_to_html(comparison, be.gate(comparison, margin=0.05))
    parsed(page)
    assert "NaN" not in re.sub(r"<script>.*", "", page, flags=re.DOTALL)


def test_every_part_of_a_comparison_is_shown(page):
    """Guards, differences, slices, queries, cutoffs and method have a section."""
    headings = re.findall(r'<h2 id="(\w+)-heading">', page)
    assert headings == ["guards", "differences", "slices", "queries", "cutoffs", "method"]
    assert "two-sided and unadjusted, since a margin is tested on one" in page
    assert "nDCG@10 decides alone." in page


@pytest.mark.parametrize("slices", [(), ("category",)])
def test_requested_risks_have_a_part(slices):
    """With the figures of the table in the terminal, with and without slices before them."""
    judgments, runs, queries = example_data(20)
    compared = be.compare(judgments, runs, "RR", queries=queries, slices=slices, risk=[2])
    page = comparison_to_html(compared)
    [part] = re.findall(r'<section class="part" id="risk".*?</section>', page, re.DOTALL)
    assert "U-risk" in part
    assert f"{compared.risks[0].reward:.4f}" in part
    assert 'id="risk"' not in comparison_to_html(a_comparison(20))


def test_a_comparison_without_a_gate_names_the_better_system():
    """It has a badge, unless candidates differ."""
    page = comparison_to_html(a_comparison(60, {"old": 0.1, "new": 2.0}), title="Nightly <1>")
    assert '<p class="badge better">' in page
    assert "<h1>new is better than old" in page
    assert "<title>Nightly &lt;1&gt;</title>" in page
    several = a_comparison(60, {"old": 0.5, "new": 3.0, "same": 0.5})
    assert '<p class="badge' not in comparison_to_html(several)


def test_the_figures_are_those_of_the_best_candidate_of_the_headline():
    """They are over the queries of the headline, and say so."""
    systems = {"base": 0.1, "one": 0.5, "two": 3.0}
    assert focus_of(a_comparison(40, systems)).system == "two"
    judgments = {f"q{i:02}": {"d": 1} for i in range(30)}
    runs = {
        "base": {q: ["x", "y", "d"] for q in judgments},
        "one": {q: ["x", "d"] for q in judgments},
        "two": {q: ["d"] for q in [*judgments][15:]},  # with zeros, it is worse than one
    }
    compared = be.compare(judgments, runs, "RR")
    page = comparison_to_html(compared)
    assert "<dt>RR, two</dt>" in page
    assert '<div class="beside">15 queries, those in every run</div>' in page
    assert "those in every run" not in comparison_to_html(a_comparison(40, systems))


def test_the_page_selects_what_decided():
    """It shows the judged candidate and the measure of the deciding guard."""
    systems = {"base": 3.0, "one": 3.0, "two": 0.0}
    comparison = a_comparison(40, systems, measures=["P@5", "RR", "nDCG@10"])
    gate = be.gate(comparison, candidate="two", margin={"nDCG@10": 0.05}, at_least={"P@5": 0.0})
    assert focus_of(comparison) == Focus("one", comparison.measures[0])
    assert focus_of(comparison, gate) == Focus("two", comparison.measures[2])
    page = comparison_to_html(comparison, gate)
    assert '<option value="2" selected>nDCG@10</option>' in page
    assert "<dt>nDCG@10, two</dt>" in page
    data = data_of(page)
    assert (data["system"], data["measure"]) == (1, 2)


def test_names_may_contain_any_character():
    """A colon is part of a name."""
    runs = {"a: b": {"q": ["d"]}, "c: d": {"q": ["x", "d"]}}
    page = comparison_to_html(compare_these({"q": {"d": 1}}, runs))
    assert "Differences from a: b" in page


def test_the_page_makes_no_network_requests(page):
    """It contains only XML namespaces as addresses, and the policy forbids others."""
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {"http://www.w3.org/2000/svg"}
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none';")


def test_the_policy_allows_only_our_script(page):
    """It identifies the script by its hash."""
    script = re.search(r"<script>(.*)</script>\n</body>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page


def test_all_data_is_shown_as_text():
    """A document named <script> stays a document, and so do names, texts and labels."""
    judged = {EVIL: {EVIL: 1, "e": 0}, "q2": {"d": 1}}
    runs = {"old": {EVIL: ["e", EVIL], "q2": ["d"]}, EVIL: {EVIL: [EVIL, "x"], "q2": ["y", "d"]}}
    queries = [Query(EVIL, EVIL, category=EVIL), Query("q2", "text", category="c")]
    comparison = compare_these(judged, runs, queries, ["nDCG@10", "P@1"], ["category"])
    gate = a_gate(comparison)
    for html in (
        comparison_to_html(comparison, replace(gate, sentence=EVIL, suggestion=EVIL), EVIL),
        tables_to_html(EVIL, comparison_table(comparison)),
    ):
        assert parsed(html).scripts <= 2
        assert "<script>alert" not in html
        html.encode()  # no lone surrogates
    page = comparison_to_html(comparison)
    written = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
    assert not set("<>&") & set(written)
    data = data_of(page)
    assert data["ids"][0].startswith("<script>alert(1)</script>")


def test_query_data_are_integers_of_ten_thousandths(comparison):
    """They match the tables; rankings have the rank in each system."""
    data = query_data(comparison, focus_of(comparison))
    position = 7
    query_id = comparison.query_ids[position]
    before = comparison.evaluations["bm25"]["nDCG@10"].by_query[query_id]
    assert data["baseline"][0][position] == round(before * 10_000)
    assert data["texts"][position] == comparison.text_of(query_id)
    documents = {document[0]: document[1:] for document in data["rankings"][position]}
    for rank, found in enumerate(comparison.ranking("hybrid", query_id), start=1):
        assert documents[found.doc_id][2] == rank
        assert documents[found.doc_id][0] == found.grade


def test_a_tiny_difference_is_not_shown_as_a_tie():
    """It is listed by its outcome, and its figure is not inflated."""
    judgments = {"q1": {"a": 1_000_000, "b": 1}, "q2": {"a": 1}}
    before = {"q1": ["a", "b"], "q2": ["a"]}
    after = {"q1": ["a", "c", "b"], "q2": ["a"]}
    comparison = compare_these(judgments, {"before": before, "after": after})
    [candidate] = query_data(comparison, focus_of(comparison))["candidates"]
    assert candidate["differences"] == [[0, 0]]
    assert candidate["outcomes"] == [[OUTCOMES.index("worse"), OUTCOMES.index("equal")]]


def test_long_texts_and_many_rankings_are_limited(comparison, monkeypatch):
    """The page stays small, and states how many queries can be opened."""
    monkeypatch.setattr(query_data_module, "_MAX_RANKINGS", 5)
    monkeypatch.setattr(query_data_module, "_LONGEST_TEXT", 8)
    data = query_data(comparison, focus_of(comparison))
    assert len(data["rankings"]) == 5
    assert max(map(len, data["texts"])) == 8
    assert "The 5 of 30 queries that changed most can be opened" in comparison_to_html(comparison)


def test_unknown_texts_and_labels_have_no_columns():
    """Only known facts are shown."""
    nameless = a_comparison(5, texts=False)
    data = query_data(nameless, focus_of(nameless))
    assert (data["hasLabels"], data["texts"]) == (False, [None] * 5)
    assert ">category<" not in comparison_to_html(nameless)


def test_everything_can_be_read_without_the_script(page):
    """This includes rows of queries, and the rankings of those that changed most."""
    body = re.search(r'id="queries-table">.*?<tbody>(.*?)</tbody>', page, re.DOTALL)[1]
    assert body.count("<tr>") == 30
    without = re.search(r"<noscript>(.*?)</noscript>", page, re.DOTALL)[1]
    assert without.count('<div class="rankings">') == 20
    assert "not judged" in without


def test_charts_of_very_many_measures_are_limited():
    """Only the first eight pairs of system and measure have charts, as the page states."""
    measures = [f"nDCG@{k}" for k in range(1, 11)]
    page = comparison_to_html(a_comparison(10, measures=measures))
    assert len(re.findall(r'<figure class="card" data-system="0" data-measure="\d+"', page)) == 16
    assert "data-undrawn" in page


def test_a_page_needs_no_library_for_its_charts(comparison, monkeypatch):
    """The base installation draws them."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert comparison_to_html(comparison).count("<svg") > 10


def test_a_gate_without_a_baseline_has_a_page(comparison):
    """It shows only the guards."""
    gate = a_gate(comparison, "pass")
    page = gate_to_html(replace(gate, comparison=None, holes=(), guards=gate.guards[:1]))
    parsed(page)
    assert '<p class="badge pass">' in page
    assert gate_to_html(gate) == comparison_to_html(comparison, gate)


def test_tables_have_a_simple_page(monkeypatch):
    """They have one heading; very long tables show their first rows."""
    monkeypatch.setattr(document, "_MAX_ROWS", 2)
    table = Table("", ("", "a"), (("x", "1"), ("y", "-"), ("z", "-0.5")), ("A note.",))
    page = tables_to_html("bm25 & dense", [table])
    parsed(page)
    assert "<h1>bm25 &amp; dense</h1>" in page
    assert '<th scope="row">y</th><td class="n">\u2013</td>' in page
    assert "Rows left out: 1. CSV has them all." in page


def test_too_few_changes_are_reported_at_the_top_of_a_page():
    """Badge, sentence and figures state that there is no interval."""
    page = comparison_to_html(a_comparison(5, slices=()))
    hero = page[page.index('class="hero"') : page.index("</h1>")]
    assert 'class="badge untested"' in hero
    assert "Too few changes to decide" in hero
    assert "the set has only 5 queries" in hero
    assert '<div class="beside">no interval</div>' in page
    assert '<div class="beside">fewer than 10 queries changed</div>' in page


def test_many_systems_start_with_a_leaderboard():
    """The forest of one measure, every pair, and disagreements follow."""
    systems = {"base": 0.8, **{f"s{i:02}": 0.5 + i / 5 for i in range(7)}}
    html = comparison_to_html(a_comparison(30, systems, slices=()))
    page = parsed(html)
    assert page.open == []
    parts = re.findall(r'<section class="part" id="([a-z]+)"', html)
    assert parts[:3] == ["leaderboard", "pairs", "disagreement"]
    assert "7 systems against base" in html
    assert "By nDCG@10, " in html


def test_pairs_of_very_many_systems_are_left_out():
    """A note states the limit."""
    systems = {f"s{i:02}": 0.5 + i / 20 for i in range(22)}
    html = comparison_to_html(a_comparison(10, systems, measures=["nDCG@10"], slices=()))
    assert "Pairs are tested for up to 20 systems; here are 22." in html


def test_rankings_have_titles_of_known_documents():
    """Documents without a title have the beginning of their text, or else their id."""
    comparison = a_comparison(10, slices=())
    first, second, *_ = comparison.ranking("bm25", "q001")
    known = {
        first.doc_id: be.Document(first.doc_id, "text", title="A <title>"),
        second.doc_id: be.Document(second.doc_id, "long  words " * 40),
    }
    data = query_data(comparison, focus_of(comparison), known)
    assert data["titles"][first.doc_id] == "A <title>"
    assert data["titles"][second.doc_id].startswith("long words long words")
    assert len(data["titles"][second.doc_id]) == 90
    assert set(data["titles"]) == {first.doc_id, second.doc_id}
    html = comparison_to_html(comparison, documents=known)
    assert parsed(html).open == []
    assert "A &lt;title&gt;" in html


def test_documents_can_be_read_when_the_rankings_are_known():
    """A function is called once, with the documents that the page shows."""
    comparison = a_comparison(10, slices=())
    asked = []

    def documents(doc_ids):
        asked.append([*doc_ids])
        return {doc_id: be.Document(doc_id, "", title=f"Of {doc_id}") for doc_id in asked[0][:3]}

    data = query_data(comparison, focus_of(comparison), documents)
    shown = {row[0] for ranking in data["rankings"].values() for row in ranking}
    assert len(asked) == 1
    assert {*asked[0]} == shown
    assert data["titles"] == {doc_id: f"Of {doc_id}" for doc_id in asked[0][:3]}


def test_titles_stop_where_the_page_would_become_large(monkeypatch):
    """Documents beyond the limit have their ids."""
    comparison = a_comparison(10, slices=())
    ids = [one.doc_id for one in comparison.ranking("bm25", "q001")]
    known = {doc_id: be.Document(doc_id, "t", title="title") for doc_id in ids}
    monkeypatch.setattr(query_data_module, "_MAX_TITLES", 40)
    assert 0 < len(query_data(comparison, focus_of(comparison), known)["titles"]) < len(ids)
