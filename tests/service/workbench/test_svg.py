"""What charts are made of."""

from markupsafe import Markup

from berryeval.service.workbench.charts.svg import Scale, el, joined, picture, ticks


def test_everything_in_an_element_is_escaped():
    """Ids and texts of users go into charts, too."""
    drawn = el("a", el("text", "<b>"), href='/x"y', class_="dot", data_id=None)
    assert drawn == '<a href="/x&#34;y" class="dot"><text>&lt;b&gt;</text></a>'
    assert joined(["<", Markup("<g/>")]) == "&lt;<g/>"


def test_a_picture_is_described():
    """As an image, or as a group where there are links in it to be reached."""
    assert 'role="img" aria-label="A &amp; B"' in picture(10, 5, "A & B", el("line"))
    assert 'role="group"' in picture(10, 5, "x", el("a", el("circle"), href="/"))
    assert "<title>x</title>" in picture(10, 5, "x")


def test_a_scale_without_width_draws_in_the_middle():
    """All values are the same."""
    assert Scale(0.5, 0.5, 0, 100).at(0.5) == 50
    assert Scale(0, 2, 100, 0).at(0.5) == 75


def test_marks_are_round():
    """And within what is shown."""
    assert ticks(0.37, 0.44) == [0.38, 0.4, 0.42, 0.44]
    assert ticks(-0.03, 0.02, 4) == [-0.02, 0.0, 0.02]
    assert ticks(1, 1) == [1]
    assert ticks(0, 10000, 4) == [0, 5000, 10000]
