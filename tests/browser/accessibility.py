"""Accessibility violations found by axe-core."""

from axe_playwright_python.base import AXE_SCRIPT

from depth import IS_DEEP

COLOURS = ("color-contrast", "link-in-text-block")
"""The rules that depend on the colour scheme; they take most of the time."""

WIDTH = ("scrollable-region-focusable",)
"""The rules that depend on the width of the screen."""

# Long lists only repeat their first rows.
SHORTEN_LISTS = """() => document.querySelectorAll(":is(tbody, ol) > :nth-child(n+9)")
  .forEach((row) => row.remove())"""

# Marks one text of each combination of colours, backgrounds and size that was not checked before:
# pages share their header, their menu and most of their styles.
MARK_NEW = """([within, known]) => {
  const seen = new Set(known), found = [], behind = new Map();
  const colours = (element) => {
    if (!element) return "";
    if (!behind.has(element)) {
      const { color, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
      const own = [color, backgroundColor, backgroundImage, opacity].join();
      const outer = colours(element.parentElement);
      const isPlain = own === `${color},rgba(0, 0, 0, 0),none,1` && outer.startsWith(color);
      behind.set(element, isPlain ? outer : `${own} on ${outer}`);
    }
    return behind.get(element);
  };
  const hasText = (element) => element.matches("input, select, textarea")
    || [...element.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.data.trim());
  const all = [...document.querySelectorAll(`:is(${within}), :is(${within}) *`)];
  for (const one of all) {
    delete one.dataset.new;
    if (!hasText(one) || !one.checkVisibility()) continue;
    const { fontSize, fontWeight, textShadow, textDecorationLine } = getComputedStyle(one);
    const look = [one.localName, fontSize, fontWeight, textShadow, textDecorationLine].join()
      + colours(one);
    if (seen.has(look)) continue;
    seen.add(look);
    found.push(look);
    one.dataset.new = "";
  }
  return found;
}"""
WITHOUT_COLOURS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
RUN = "async ([within, options]) => (await axe.run(within, options)).violations"

_LOOKS: set[str] = set()


def violations(page, *, only=(), within="html") -> list[str]:
    """Return the violations within an element, by all rules or by COLOURS or WIDTH only.

    Rules about colours skip texts that look like one that was checked before, except in deep runs.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(SHORTEN_LISTS)
    found = []
    if only != COLOURS:
        others = {"runOnly": {"type": "rule", "values": only}} if only else WITHOUT_COLOURS
        found += _run(page, within, others)
    if only in ((), COLOURS):
        options = {"runOnly": {"type": "rule", "values": COLOURS}}
        if IS_DEEP:
            found += _run(page, within, options)
        elif looks := page.evaluate(MARK_NEW, [within, [*_LOOKS]]):
            _LOOKS.update(looks)
            found += _run(page, "[data-new]", options)
    return found


def _run(page, within: str, options: dict) -> list[str]:
    return [
        f"{rule['id']}, {rule['help']}: {[node['target'] for node in rule['nodes'][:5]]}"
        for rule in page.evaluate(RUN, [within, {"resultTypes": ["violations"], **options}])
    ]
