"""Elements, scales and axes of charts."""

from hypothesis import given
from hypothesis import strategies as st

from berryeval.charts.svg import Scale, Svg, el, figure_text, joined, shortened, text_width, ticks


def test_everything_in_an_element_is_escaped():
    """Names and texts of users are escaped in elements and attributes."""
    drawn = el("a", el("text", "<b>"), href='/x"y', class_="dot", data_id=None)
    assert drawn == '<a href="/x&quot;y" class="dot"><text>&lt;b&gt;</text></a>'
    assert joined(["<", Svg("<g/>")]) == "&lt;<g/>"


def test_characters_that_xml_forbids_are_replaced():
    """These are control characters and lone surrogates."""
    assert el("text", "a\x00\ud800b") == "<text>a\ufffd\ufffdb</text>"


def test_templates_insert_markup_unescaped():
    """They call `__html__`."""
    assert el("g").__html__() == "<g/>"


def test_a_scale_without_width_draws_in_the_middle():
    """All its values are equal."""
    assert Scale(0.5, 0.5, 0, 100).at(0.5) == 50
    assert Scale(0, 2, 100, 0).at(0.5) == 75


def test_a_scale_clamps_values():
    """Values beyond an end are drawn at the end."""
    assert Scale(0, 1, 0, 100).at(7) == 100
    assert Scale(-1e308, 1e308, 0, 100).at(0.0) == 50


def test_values_of_an_axis_are_round():
    """They are within the visible range."""
    assert ticks(0.37, 0.44) == [0.38, 0.4, 0.42, 0.44]
    assert ticks(-0.03, 0.02, 4) == [-0.02, 0.0, 0.02]
    assert ticks(1, 1) == [1]
    assert ticks(0, 10000, 4) == [0, 5000, 10000]


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e300), st.integers(1, 10))
def test_an_axis_has_a_few_values_for_any_range(low, span, about):
    """The range may be huge, tiny or almost empty."""
    found = ticks(low, low + span, about)
    assert 1 <= len(found) <= 2 * about + 2


def test_negative_numbers_have_a_minus_sign():
    """Zero has no sign."""
    assert figure_text(-0.5) == "\N{MINUS SIGN}0.5"
    assert figure_text(0.0, signed=True) == "0"
    assert figure_text(0.5, signed=True) == "+0.5"


@given(st.text(), st.floats(20, 300))
def test_a_shortened_text_fits(text, width):
    """It is complete if possible."""
    short = shortened(text, width)
    assert text_width(short) <= width
    assert (short == text) == (text_width(text) <= width) or "…" in text
