"""Helpers that parse drawings."""

import re
import xml.etree.ElementTree as ET

from berryeval.charts.svg import text_width
from service.workbench.html import parse

_NAMESPACE = re.compile(r"^\{.*\}")
_STEP = re.compile(r"([MLHVzZ])([^MLHVzZ]*)")


def drawn(chart):
    """Parse a chart or part of one; fail if it is not well-formed."""
    text = chart.to_svg("page") if hasattr(chart, "to_svg") else str(chart)
    return parse(text).find("svg")


def texts(drawing):
    """Return the texts of a drawing."""
    return [text.text for text in drawing.find_all("text")]


def marks_outside(svg):
    """Return the marks of a drawing that lie outside its view box."""
    root = ET.fromstring(svg)  # noqa: S314 - our own
    left, top, width, height = map(float, root.get("viewBox").split())
    return [
        (tag, x, y)
        for element in root.iter()
        for tag in [_NAMESPACE.sub("", element.tag)]
        for x, y in _corners(tag, element)
        if not (left - 1 <= x <= left + width + 1 and top - 1 <= y <= top + height + 1)
    ]


def _corners(tag, element):
    number = {name: float(value) for name, value in element.items() if _is_number(value)}
    if tag == "line":
        return [(number["x1"], number["y1"]), (number["x2"], number["y2"])]
    if tag == "circle":
        x, y, r = (number[name] for name in ("cx", "cy", "r"))
        return [(x - r, y - r), (x + r, y + r)]
    if tag == "rect":
        x, y = number["x"], number["y"]
        assert number["width"] >= 0
        assert number["height"] >= 0
        return [(x, y), (x + number["width"], y + number["height"])]
    if tag == "path":
        return list(_path(element.get("d")))
    if tag == "text" and element.get("transform") is None:
        size = 13 if "name" in (element.get("class") or "") else 12
        before = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor"), 0.0)
        wide = text_width(element.text or "", size)
        x, y = number["x"] - before * wide, number["y"]
        return [(x, y - size), (x + wide, y)]
    return []


def _path(steps):
    x = y = 0.0
    for letter, rest in _STEP.findall(steps):
        values = [float(value) for value in rest.split()]
        if letter in "ML":
            x, y = values
        elif letter == "H":
            (x,) = values
        elif letter == "V":
            (y,) = values
        yield x, y


def _is_number(text):
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None
