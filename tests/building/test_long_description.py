"""README on a package index: every link is absolute, and leads to a file of the repository."""

import re
import sys
from pathlib import Path

import long_description
import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
SITE, SOURCE = URLS["Documentation"].rstrip("/"), URLS["Source"]
RAW = SOURCE.replace("https://github.com/", "https://raw.githubusercontent.com/")


def linked(text: str) -> str:
    return long_description.absolute_links(text, URLS, "1.2.3")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](docs/how-to/install.md)", f"[a]({SITE}/1.2.3/how-to/install.html)"),
        ("[a](docs/a.md#part)", f"[a]({SITE}/1.2.3/a.html#part)"),
        ("[a](LICENSE)", f"[a]({SOURCE}/blob/v1.2.3/LICENSE)"),
        ("![a](docs/images/a.png)", f"![a]({RAW}/v1.2.3/docs/images/a.png)"),
        ('<img src="docs/a.svg">', f'<img src="{RAW}/v1.2.3/docs/a.svg">'),
        ("[a](https://example.org/a.md)", "[a](https://example.org/a.md)"),
        ("[a](#part)", "[a](#part)"),
        ("```text\n[a](b.md)\n```", "```text\n[a](b.md)\n```"),
    ],
)
def test_links_become_absolute(text, expected):
    """Pages lead to the site of the version, pictures and files to its tag; code is kept."""
    assert linked(text) == expected


def test_readme_has_no_relative_link():
    """Every address within the repository is that of an existing file."""
    text = linked((ROOT / "README.md").read_text(encoding="utf-8"))
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\(([^)\s]+)\)", outside)
    assert len(targets) > 10
    for target in targets:
        assert target.startswith("https://"), target
        path = target.partition("#")[0]
        for start, folder in ((f"{SITE}/1.2.3/", "docs/"), (f"{SOURCE}/blob/v1.2.3/", ""),
                              (f"{RAW}/v1.2.3/", "")):  # fmt: skip
            if path.startswith(start):
                file = folder + path.removeprefix(start).replace(".html", ".md")
                assert (ROOT / file).exists(), file


def test_another_host_is_refused():
    """Addresses of files depend on the host, so an unknown one must not be guessed."""
    with pytest.raises(ValueError, match=r"expected a repository under https://github\.com/"):
        long_description.absolute_links("", URLS | {"Source": "https://example.org/x"}, "1")


def test_the_field_of_the_package_is_readme(tmp_path):
    """The build backend gets it on request."""
    path = tmp_path / "README.md"
    path.write_text("[a](LICENSE)")
    project = {"urls": URLS, "version": "1.2.3"}
    assert long_description.dynamic_metadata({"input": str(path)}, project) == {
        "readme": {"content-type": "text/markdown", "text": f"[a]({SOURCE}/blob/v1.2.3/LICENSE)"}
    }


@pytest.mark.parametrize(
    "name", ["mkdocs.yml", "deploy/berryeval.service", "docs/reference/versions.md"]
)
def test_addresses_are_those_of_the_project(name):
    """pyproject.toml is where they are changed."""
    found = re.findall(
        r"https://(?:berryeval\.)?github\.(?:com|io)/[\w/.-]+", (ROOT / name).read_text("utf-8")
    )
    assert found
    for address in found:
        assert address.startswith((SITE, SOURCE)), address


def test_licences_are_those_of_what_wheels_contain():
    """nanobind and its hash table are part of the extension, htmx of the pages."""
    import npm_scripts

    folder = ROOT / "licenses"
    [htmx] = npm_scripts.PACKAGES
    expected = htmx.files["htmx.LICENSE.txt"][1]
    assert npm_scripts._integrity((folder / "htmx.txt").read_bytes()) == expected
    assert "Wenzel Jakob" in (folder / "nanobind.txt").read_text(encoding="utf-8")
    assert "Thibaut Goetghebuer-Planchon" in (folder / "robin-map.txt").read_text(encoding="utf-8")
