"""A chart as part of a page, as a file, and as an image."""

import re
import sys
import xml.etree.ElementTree as ET

import pytest

from berryeval import MissingExtraError
from berryeval.charts import Chart, chart, forest_plot
from berryeval.charts.chart import page_style
from berryeval.charts.svg import el
from berryeval.charts.theme import DARK, LIGHT
from berryeval.errors import BerryEvalError
from charts.drawings import drawn
from example_results import a_comparison

CHART = Chart("A & B", "Both.", 100, 50, el("circle", cx=5, cy=5, r=5, class_="dot s-better"))


def test_a_chart_has_a_title_and_a_description():
    """It is an image, or a group if it contains links."""
    drawing = drawn(CHART)
    assert (drawing["role"], drawing["aria-label"]) == ("img", "A & B. Both.")
    assert (drawing.find("title").text, drawing.find("desc").text) == ("A & B", "Both.")
    linked = Chart("x", "y", 10, 5, el("a", el("circle"), href="/"))
    assert drawn(linked)["role"] == "group"


def test_a_chart_uses_the_styles_of_its_page():
    """It has no style of its own, and templates insert it as is."""
    assert "<style" not in CHART.to_svg("page")
    assert CHART.__html__() == CHART.to_svg("page")
    assert "var(--chart-better)" in page_style()


@pytest.mark.parametrize(("theme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_a_file_has_the_colours_of_its_theme(theme, colours):
    """Colours are plain values, since not every program supports variables."""
    svg = CHART.to_svg(theme)
    other = DARK if theme == "light" else LIGHT
    assert "var(" not in svg
    assert "@media" not in svg
    assert colours["better"] in svg
    assert other["better"] not in svg


def test_a_file_follows_the_theme_of_its_reader():
    """It is light, and has each colour again for dark screens, with its own background."""
    svg = CHART.to_svg()
    light, dark = re.search(r"<style>(.*)@media \(prefers-color-scheme:dark\)\{(.*)\}</style>",
                            svg).groups()  # fmt: skip
    assert light.count(LIGHT["better"]) == dark.count(DARK["better"]) == 1
    assert "stroke-width" not in dark
    assert 'class="paper"' in svg
    assert "var(" not in svg
    assert ET.fromstring(svg).get("class") == "berryeval-auto"  # noqa: S314
    assert ".chart" not in svg, "a notebook has other charts, which this style is not for"


def test_every_role_has_both_colours():
    """Every colour of the style sheet has a role."""
    assert LIGHT.keys() == DARK.keys()
    assert set(re.findall(r"var\(--chart-([a-z0-9-]+)\)", page_style())) <= LIGHT.keys()


def test_a_notebook_shows_a_chart():
    """It is the same as in a file."""
    assert CHART._repr_html_() == CHART.to_svg()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_an_image_has_the_requested_size(scale):
    """The padding of a file is included."""
    pytest.importorskip("resvg_py")
    picture = CHART.to_png(scale)
    assert picture.startswith(b"\x89PNG")
    size = [int.from_bytes(picture[i : i + 4], "big") for i in (16, 20)]
    assert size == [132 * scale, 82 * scale]


def test_an_image_contains_text():
    """Names change the pixels of a real chart."""
    pytest.importorskip("resvg_py")
    one, other = (
        forest_plot(a_comparison(10, {"bm25": 0.5, name: 0.6, "c": 0.6}, slices=())).to_png(1)
        for name in ("hybrid", "Hybrid")
    )
    assert one != other


def test_without_the_library_the_extra_is_named(monkeypatch):
    """SVG requires no library."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert CHART.to_svg()
    with pytest.raises(MissingExtraError, match=r"pip install 'berryeval\[charts\]'"):
        CHART.to_png()


def test_without_a_font_drawing_an_image_is_an_error(monkeypatch):
    """An image without text would be useless."""
    pytest.importorskip("resvg_py")
    monkeypatch.setattr(chart, "_has_fonts", lambda: False)
    with pytest.raises(BerryEvalError, match="no font is installed"):
        CHART.to_png()
