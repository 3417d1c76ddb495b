"""Accessibility violations found by axe-core."""

from axe_playwright_python.base import AXE_SCRIPT

COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that depend on the colour scheme; they take most of the time."""

WIDTH = ("scrollable-region-focusable",)
"""The rules that depend on the width of the screen."""

# The contrast rule checks every element, and long lists only repeat their first rows.
SHORTEN_LISTS = """() => document.querySelectorAll(":is(tbody, ol) > :nth-child(n+9)")
  .forEach((row) => row.remove())"""
RUN = "async ([within, options]) => (await axe.run(within, options)).violations"


def violations(page, *, only=(), within="html") -> list[str]:
    """Return the violations within an element, by all rules or by selected ones."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(SHORTEN_LISTS)
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if only:
        options["runOnly"] = {"type": "rule", "values": only}
    return [
        f"{rule['id']}, {rule['help']}: {[node['target'] for node in rule['nodes'][:5]]}"
        for rule in page.evaluate(RUN, [within, options])
    ]
