"""What MkDocs adds to the site while it builds it: real reports, our logo, a list of versions."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
LOGO = ROOT / "src" / "berryeval" / "service" / "workbench" / "static" / "berry.svg"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Show a selector of versions where there are several: on the published site.

    It reads versions.json next to the versions (scripts/publish_site.sh), in the format of mike.
    """
    if os.environ.get("SITE_VERSIONS"):
        config.extra["version"] = {"provider": "mike"}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the logo, and the reports under the addresses that docs/gallery.md links to."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import gallery
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    for name, page in gallery.reports().items():
        files.append(File.generated(config, f"gallery/{name}", content=page))
    logo = LOGO.read_text(encoding="utf-8")
    files.append(File.generated(config, "images/berry.svg", content=logo))
    return files
