"""Parses the output of interfaces into figures and words."""

import re

from service.workbench.html import parse

WORDS = {
    "better": "better",
    "worse": "worse",
    "unclear": "not clearly different",
    "untested": "too few changes to decide",
}
NOTHING = ("", "-", "\u2013")
"""Placeholders for missing figures."""


def page_of(markup):
    """Return a page without its scripts and styles."""
    return parse(re.sub(r"<(script|style)\b.*?</\1>", " ", markup, flags=re.DOTALL))


def html_rows(page, *headings):
    """Return the rows of the first table with these headings, by heading."""
    for table in page.find_all("table"):
        known = [cell.text for cell in table.find("tr").find_all("th")]
        if set(headings) <= set(known):
            body = table.find("tbody").find_all("tr")
            return [dict(zip(known, _cells(row), strict=True)) for row in body]
    raise AssertionError(f"no table with {headings} in: {page.text[:500]}")


def _cells(row):
    parts = (part for part in row.inside if not isinstance(part, str))
    return [part.text for part in parts if part.tag in ("th", "td")]


def plain_rows(text, *headings):
    """Return the rows of the first plain-text table with these headings."""
    lines = text.splitlines()
    for place, line in enumerate(lines):
        known = _columns(line)
        if set(headings) <= set(known):
            body = []
            for row in lines[place + 1 :]:
                if not row.strip():
                    break
                body.append(dict(zip(known, _columns(row), strict=True)))
            return body
    raise AssertionError(f"no table with {headings} in: {text[:500]}")


def _columns(line):
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("|").split("|")]
    return re.split(r"\s{2,}", line.strip())


def ends(text):
    """Return both ends of an interval: ``[low, high]``, ``low to high``, or with a dash.

    None and None if there is no interval.
    """
    if text in NOTHING:
        return None, None
    low, high = re.split(r", | to | \u2013 ", text.strip("[]"))
    return low, high


def differs(shown, exact):
    """Return whether a figure or word differs at the displayed precision."""
    if not isinstance(shown, str) or not isinstance(exact, float):
        return shown != exact
    text = shown.replace("\u2212", "-").replace(",", "")
    digits = len(text.partition(".")[2])
    return digits < 3 or float(text) != float(f"{exact:.{digits}f}")


def faults(found, expected):
    """Return the facts that an interface shows wrongly, or omits."""
    wrong = {
        key: (found[key], expected.get(key))
        for key in found
        if differs(found[key], expected.get(key))
    }
    missing = expected.keys() - found.keys()
    return wrong | dict.fromkeys(missing, "not shown")
