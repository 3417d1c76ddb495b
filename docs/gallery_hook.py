"""Adds the reports of the gallery to the site while MkDocs builds it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

SCRIPTS = Path(__file__).parents[1] / "scripts"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Make the reports, under the addresses that docs/gallery.md links to."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        import gallery
    finally:
        sys.path.remove(str(SCRIPTS))
    for name, page in gallery.reports().items():
        files.append(File.generated(config, f"gallery/{name}", content=page))
    return files
