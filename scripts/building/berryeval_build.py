"""The build backend: scikit-build-core's, after the scripts of others are in place.

pip and build call these hooks (PEP 517, PEP 660). Where there is no npm to fetch a script with,
the frontend is asked to install one for the time of the build.
There are no hooks for metadata: they depend on whether the extension can be compiled.
"""

from __future__ import annotations

import npm_scripts
from scikit_build_core import build

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

Settings = dict[str, "list[str] | str"]


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    """Name what a wheel needs to be built."""
    return build.get_requires_for_build_wheel(config_settings) + npm_scripts.requirements()


def get_requires_for_build_editable(config_settings: Settings | None = None) -> list[str]:
    """Name what an editable install needs to be built."""
    return build.get_requires_for_build_editable(config_settings) + npm_scripts.requirements()


def get_requires_for_build_sdist(config_settings: Settings | None = None) -> list[str]:
    """Name what a source distribution needs to be built."""
    return build.get_requires_for_build_sdist(config_settings) + npm_scripts.requirements()


def build_wheel(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build a wheel that holds the scripts."""
    npm_scripts.place()
    return build.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str,
    config_settings: Settings | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Put the scripts among the sources, and build a wheel that points there."""
    npm_scripts.place()
    return build.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings | None = None) -> str:
    """Pack the sources with the scripts, so that an install from them needs no npm."""
    npm_scripts.place()
    return build.build_sdist(sdist_directory, config_settings)
