"""The frame and the colours of every page, and a simple page of tables."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib import resources

import berryeval
from berryeval.charts.chart import page_style
from berryeval.charts.theme import DARK, LIGHT
from berryeval.reports.html.markup import escaped, notes_to_html, table_to_html
from berryeval.reports.layout import Table

__all__ = ["document", "shared_style", "tables_to_html"]

_COLOURS = {
    "page": ("#fbfbfc", "#101216"),
    "surface": ("#ffffff", "#181b20"),
    "line": ("#e4e6eb", "#2c3038"),
    "ink": ("#1f2328", "#eceef2"),
    "muted": ("#5b6270", "#a7adba"),
    "accent": ("#93295e", "#e887b6"),
    "pass": ("#0f6b5f", "#58d1bc"),
    "pass-soft": ("#e2f4f0", "#12302c"),
    "fail": ("#a8281c", "#ff9a8f"),
    "fail-soft": ("#fcebe9", "#3a1a18"),
    "unsure": ("#7a5200", "#ecc15f"),
    "unsure-soft": ("#fbf1da", "#332813"),
}
"""Colours of the page: light, and dark."""


def _colour_rules() -> str:
    """Return CSS variables for all colours, by theme; those of charts are ``--chart-…``."""
    pairs = {**_COLOURS, **{f"chart-{role}": (LIGHT[role], DARK[role]) for role in LIGHT}}
    plain = "".join(f"--{name}:{light};" for name, (light, _) in pairs.items())
    both = "".join(f"--{name}:light-dark({a},{b});" for name, (a, b) in pairs.items())
    return f":root{{{plain}}}@supports (color:light-dark(#000,#fff)){{:root{{{both}}}}}\n"


_MAX_ROWS = 5_000

_BERRY = (
    '<svg class="berry" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">'
    '<path d="M12 9C11 5 13 3 17 2" fill="none" stroke="currentColor" stroke-width="1.8" '
    'stroke-linecap="round"/><circle cx="8" cy="12" r="4.2"/><circle cx="16" cy="12" r="4.2"/>'
    '<circle cx="12" cy="18" r="4.2"/></svg>'
)


def document(title: str, body: str) -> str:
    """Return a page as one file, with its style and script.

    Its content security policy forbids network requests and other scripts, whatever the data.
    """
    style, script = shared_style() + _resource("report.css"), _resource("report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="BerryEval {berryeval.__version__}">
<title>{escaped(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header class="top">
<span class="brand">{_BERRY}BerryEval</span>
<button type="button" class="plain" id="theme" hidden>Dark</button>
</header>
<main id="main" tabindex="-1">
{body}
</main>
<footer>Made by BerryEval {berryeval.__version__}. This page is one file and makes no network \
requests.</footer>
<script>{script}</script>
</body>
</html>
"""


@cache
def _resource(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")


@cache
def shared_style() -> str:
    """Return the style that reports and the workbench share: colours, charts, text and tables."""
    return _colour_rules() + page_style() + _resource("base.css")


def tables_to_html(heading: str, tables: Iterable[Table], title: str | None = None) -> str:
    """Return a page of tables under one heading; long tables are cut after 5,000 rows."""
    parts = "".join(
        f'<section class="part"><h2>{escaped(table.title or "Means")}</h2>{_shown(table)}</section>'
        for table in tables
    )
    body = f'<div class="hero"><h1>{escaped(heading)}</h1></div>{parts}'
    return document(title or f"{heading} · BerryEval", body)


def _shown(table: Table) -> str:
    left_out = len(table.rows) - _MAX_ROWS
    shown = table._replace(title=table.title or "Means", rows=table.rows[:_MAX_ROWS])
    note = [f"Rows left out: {left_out:,}. CSV has them all."] if left_out > 0 else []
    return table_to_html(shown) + notes_to_html(note)
