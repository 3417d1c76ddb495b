"""README as the package's long description, with links that work outside the repository.

Package indexes show the text without the files next to it. Relative links become absolute: pages of
the documentation lead to the site, pictures and other files to the repository, at the tag of the
version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["absolute_links", "dynamic_metadata"]

# [text](target), ![text](target), src="target", srcset="target"
_TARGET = re.compile(r'(?P<start>!?\[[^\]]*\]\(|\bsrc(?:set)?=")(?P<target>[^)"\s]+)')
_ABSOLUTE = re.compile(r"[a-z]+:|#")
_PICTURES = (".gif", ".jpg", ".png", ".svg")
_GITHUB = "https://github.com/"
_RAW = "https://raw.githubusercontent.com/"


def dynamic_metadata(
    settings: Mapping[str, Any], project: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    """Return the field `readme`, for the build backend."""
    text = Path(settings["input"]).read_text(encoding="utf-8")
    linked = absolute_links(text, project["urls"], project["version"])
    return {"readme": {"content-type": "text/markdown", "text": linked}}


def absolute_links(text: str, urls: Mapping[str, str], version: str) -> str:
    """Return Markdown with absolute links.

    Parameters
    ----------
    text : str
        Markdown with links relative to the root of the repository. Code blocks are kept.
    urls : mapping
        The addresses of the project: `Documentation` and `Source`, a repository on GitHub.
    version : str
        Version of the package; its tag has a v before it.
    """
    source = urls["Source"].rstrip("/")
    if not source.startswith(_GITHUB):
        raise ValueError(f"expected a repository under {_GITHUB}, found {source}")
    raw = _RAW + source.removeprefix(_GITHUB)
    site = urls["Documentation"].rstrip("/")

    def address(match: re.Match[str]) -> str:
        target = match["target"]
        path, hash_sign, anchor = target.partition("#")
        if _ABSOLUTE.match(target):
            return match[0]
        if path.endswith(_PICTURES):
            target = f"{raw}/v{version}/{path}"
        elif path.startswith("docs/") and path.endswith(".md"):
            page = path.removeprefix("docs/").removesuffix(".md")
            target = f"{site}/{version}/{page}.html{hash_sign}{anchor}"
        else:
            target = f"{source}/blob/v{version}/{target}"
        return match["start"] + target

    # Every second part is a code block.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [_TARGET.sub(address, part) for part in parts[::2]]
    return "".join(parts)
