"""What MkDocs adds to the site: real reports, notebooks, our logo, a list of versions."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "examples" / "notebooks"
LOGO = ROOT / "src" / "berryeval" / "service" / "workbench" / "static" / "berry.svg"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show a selector of versions where there are several: on the published site.

    It reads versions.json next to the versions (scripts/publish_site.sh), in the format of mike.
    """
    if os.environ.get("SITE_VERSIONS"):
        config.extra["version"] = {"provider": "mike"}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the logo, the reports that docs/gallery.md links to, and a notebook beside its page."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import gallery
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    for name, page in gallery.reports().items():
        files.append(File.generated(config, f"gallery/{name}", content=page))
    for path in NOTEBOOKS.iterdir():
        content = path.read_text(encoding="utf-8")
        files.append(File.generated(config, f"tutorials/{path.name}", content=content))
    logo = LOGO.read_text(encoding="utf-8")
    files.append(File.generated(config, "images/berry.svg", content=logo))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - as MkDocs calls it
    """Link a tutorial to its notebook, below its title."""
    notebook = Path(page.file.src_uri).with_suffix(".ipynb")
    if not (NOTEBOOKS / notebook.name).exists():
        return markdown
    title, _, rest = markdown.partition("\n")
    link = f'<a class="notebook" href="{notebook.name}" download>Download as a notebook</a>'
    return f"{title}\n\n{link}\n{rest}"
