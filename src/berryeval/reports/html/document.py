"""The frame of every page: one file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

import berryeval
from berryeval.charts.chart import page_style
from berryeval.reports.html.colours import colour_rules
from berryeval.reports.html.markup import escaped

__all__ = ["document"]

_BERRY = (
    '<svg class="berry" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">'
    '<path d="M12 9C11 5 13 3 17 2" fill="none" stroke="currentColor" stroke-width="1.8" '
    'stroke-linecap="round"/><circle cx="8" cy="12" r="4.2"/><circle cx="16" cy="12" r="4.2"/>'
    '<circle cx="12" cy="18" r="4.2"/></svg>'
)


def document(title: str, body: str) -> str:
    """Return a page with its style and script inside.

    Its policy lets nothing be fetched, and no other script run, whatever the data hold.
    """
    style, script = _style(), _resource("report.js")
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
def _style() -> str:
    return colour_rules() + page_style() + _resource("report.css")
