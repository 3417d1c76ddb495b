"""Charts of many systems: the heat map, the matrix of pairs, and the forest of one measure."""

import pytest

from berryeval.charts import forest_plot, heat_map
from berryeval.charts.disagreement import HeatRow, heat_map_of, most_disputed
from berryeval.charts.pair_matrix import pair_matrix
from berryeval.evaluation.all_pairs import all_pairs
from berryeval.evaluation.leaderboard import leaderboard
from charts.drawings import drawn
from example_results import a_comparison, compare_these

SYSTEMS = {f"runs/{name}": quality for name, quality in
           {"base": 0.8, "good": 2.0, "bad": 0.0, "best": 3.0}.items()}  # fmt: skip
COMPARISON = a_comparison(40, SYSTEMS, slices=())
ORDER = [place.system for place in leaderboard(COMPARISON)]


def test_the_forest_of_one_measure_is_sorted_by_effect():
    """Its names leave out what all systems share."""
    rows = drawn(forest_plot(COMPARISON, measure=COMPARISON.lead)).find_all("g", class_="row")
    names = [row.find("text", class_="name").text for row in rows]
    assert names == ["best", "good", "bad"]


def test_the_heat_map_starts_with_the_greatest_disagreement():
    """A column per system, best first; a darker cell is a higher score."""
    chart = drawn(heat_map(COMPARISON, n_queries=5))
    rows = chart.find_all("g", class_="row")
    disputed = most_disputed(COMPARISON, COMPARISON.lead, 5)
    assert [row.find("title").text.split()[0] for row in rows] == [
        COMPARISON.query_ids[position] for position in disputed
    ]
    cells = [float(cell["fill-opacity"]) for cell in rows[0].find_all("rect", class_="area")]
    scores = [COMPARISON.evaluations[name]["nDCG@10"].values[disputed[0]] for name in ORDER]
    assert sorted(range(4), key=cells.__getitem__) == sorted(range(4), key=scores.__getitem__)


def test_rows_of_the_heat_map_can_be_links():
    """A query on a page leads to its rankings."""
    chart = drawn(heat_map(COMPARISON, n_queries=1, address_of=lambda q: f"/queries/{q}"))
    [link] = chart.find_all("a")
    assert link["href"].startswith("/queries/q")


def test_systems_that_agree_have_no_heat_map_rows():
    """A query with the same score everywhere is left out."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    judged = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    found = compare_these(judged, {"a": same, "b": same})
    assert most_disputed(found, found.lead, 9) == []
    assert drawn(heat_map(found)).find_all("g", class_="row") == []


@pytest.mark.parametrize("width", [300, 760])
def test_the_heat_map_fits_its_width(width):
    """Long names and many systems leave room for every cell."""
    systems = [f"a-rather-long-name-{i}" for i in range(12)]
    rows = [HeatRow("a query with quite a few words", [i / 11 for i in range(12)])]
    cells = drawn(heat_map_of(rows, systems, "t", width=width)).find_all("rect", class_="area")[:12]
    assert all(float(c["width"]) > 4 for c in cells)
    assert max(float(c["x"]) + float(c["width"]) for c in cells) <= width


def test_the_matrix_has_opposite_findings_on_both_sides():
    """A row is ahead of a column as far as the column is behind the row."""
    pairs = all_pairs(COMPARISON, [COMPARISON.lead])
    chart = drawn(pair_matrix(pairs, ORDER))
    titles = [cell.find("title").text for cell in chart.find_all("g")]
    assert len(titles) == 12
    first = next(t for t in titles if t.startswith("runs/best compared with runs/bad"))
    second = next(t for t in titles if t.startswith("runs/bad compared with runs/best"))
    assert (first.endswith(", better"), second.endswith(", worse")) == (True, True)
    low, high = first.split("[")[1].split("]")[0].replace("+", "").split(", ")
    assert f"[-{high}, -{low}]" in second


def test_narrow_cells_have_no_figures():
    """The colour and the description remain."""
    pairs = all_pairs(COMPARISON, [COMPARISON.lead])
    wide, narrow = (drawn(pair_matrix(pairs, ORDER, width=w)) for w in (760, 120))
    assert [len(cell.find_all("text")) for cell in wide.find_all("g")] == [1] * 12
    assert [len(cell.find_all("text")) for cell in narrow.find_all("g")] == [0] * 12
