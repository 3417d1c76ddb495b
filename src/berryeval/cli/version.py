"""``berryeval version``."""

from __future__ import annotations

import json
import os
import platform
import sys
from typing import TypedDict

import click

from berryeval import __version__
from berryeval.backend import backend, n_threads

__all__ = ["command"]

JSON_VERSION = 1


class VersionInfo(TypedDict):
    """What ``berryeval version --json`` prints, apart from its version and kind."""

    berryeval: str
    backend: str
    reason: str
    simd: str | None
    threads: int
    python: str
    platform: str
    packages: dict[str, str]


@click.command("version")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool) -> None:
    """Show versions, the platform, and the backend in use.

    Both backends, native and Python, give bit-for-bit the same results; the native one is faster.

    \b
    berryeval version
    berryeval version --json
    """
    info = _collect()
    if as_json:
        click.echo(json.dumps({"version": JSON_VERSION, "kind": "version", **info}, indent=2))
        return
    how = info["backend"]
    if info["simd"]:
        threads = "1 thread" if info["threads"] == 1 else f"{info['threads']} threads"
        how += f" ({info['simd']}, {threads})"
    click.echo(f"berryeval {info['berryeval']}")
    click.echo(f"  backend   {how}: {info['reason']}")
    click.echo(f"  python    {info['python']}")
    click.echo(f"  platform  {info['platform']}")
    for package, version in info["packages"].items():
        click.echo(f"  {package:<8}  {version}")


def _collect() -> VersionInfo:
    chosen = backend()
    return {
        "berryeval": __version__,
        "backend": chosen.name,
        "reason": chosen.reason,
        "simd": chosen.simd,
        "threads": n_threads() if chosen.name == "native" else 1,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        # platform.platform() starts a process to ask for the C library; sys knows enough.
        "platform": f"{sys.platform} {platform.machine()}",
        "packages": {name: _installed_version(name) for name in ("numpy", "click", "rich")},
    }


def _installed_version(package: str) -> str:
    """Read the version from the package's .dist-info folder.

    `importlib.metadata` gives the same, and takes a third of this command's time to import.
    """
    for folder in sys.path:
        try:
            entries = os.listdir(folder or os.curdir)  # noqa: PTH208 - pathlib is slow to import
        except OSError:
            continue
        for entry in entries:
            name, _, rest = entry.partition("-")
            if name.lower() == package and rest.endswith(".dist-info"):
                return rest.removesuffix(".dist-info")
    from importlib import metadata

    return metadata.version(package)
