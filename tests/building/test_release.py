"""A release is cut from the changelog, and its version says whether numbers changed."""

import datetime as dt
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import release

ROOT = Path(__file__).parents[2]
DAY = dt.date(2026, 1, 2)
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A bug.\n"

PAGES = {
    "docs/how-to/ci.md": "uses: berryeval/berryeval@v{version}\n    rev: v{version}\nnumpy 1.2.3\n",
    "docs/version.md": "$ berryeval version\nberryeval {version}\n",
    "templates/gate.yml": "#  - component: $CI_SERVER_FQDN/GROUP/berryeval/gate@v{version}\n",
}
"""Pages that show the version of the package."""


@pytest.fixture
def project(tmp_path):
    """A package of version 0.1.0 with one unreleased fix."""
    source = tmp_path / release.SOURCE
    source.parent.mkdir(parents=True)
    source.write_text('"""A package."""\n\n__version__ = "0.1.0"\n')
    (tmp_path / release.CHANGELOG).write_text(CHANGELOG)
    for name, text in PAGES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text.format(version="0.1.0"))
    return tmp_path


def changelog_of(project):
    return (project / release.CHANGELOG).read_text()


def test_what_was_unreleased_becomes_the_section_of_the_version(project):
    """The version and its date are written, and new entries have a place."""
    release.cut(project, "1.0.0", DAY)
    assert release.check(project) == "1.0.0"
    assert changelog_of(project) == (
        "# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2026-01-02\n\n### Fixed\n\n- A bug.\n"
    )


def test_pages_show_the_version_of_the_release(project):
    """The action, the component and the hook are pinned to it; other versions stay."""
    release.cut(project, "1.0.0", DAY)
    for name, text in PAGES.items():
        assert (project / name).read_text() == text.format(version="1.0.0")
    page = project / "docs/how-to/ci.md"
    page.write_text(page.read_text().replace("rev: v1.0.0", "rev: v0.9.0"))
    with pytest.raises(release.ReleaseError, match=r"ci.md:2: expected version 1.0.0, found 0.9.0"):
        release.check(project)


def test_pages_of_this_repository_show_its_version():
    """Every page that pins BerryEval pins the release of its source."""
    version = release.check(ROOT)
    shown = {path.name: text for path, text in release.iter_pages(ROOT)}
    assert shown.keys() >= {"use-in-ci.md", "without-a-compiler.md", "gate.yml"}
    for name in ("use-in-ci.md", "gate.yml"):
        assert f"berryeval/gate@v{version}" in shown[name]


def test_a_changed_number_requires_a_major_version(project):
    """Scores, and what was removed, are breaking changes; other entries are not."""
    release.cut(project, "1.0.0", DAY)
    for title in ("Scores", "Removed"):
        text = CHANGELOG.replace("### Fixed", f"### {title}") + "\n## [1.0.0] - 2026-01-02\n"
        (project / release.CHANGELOG).write_text(text)
        needed = f"section {title}, which requires version 2.0.0"
        with pytest.raises(release.ReleaseError, match=needed):
            release.cut(project, "1.1.0", DAY)
        assert changelog_of(project) == text
    release.cut(project, "2.0.0", DAY)
    assert release.current_version(project) == "2.0.0"


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("1.0", "expected a version such as 1.2.0, found '1.0'"),
        ("v1.0.0", "expected a version such as 1.2.0"),
        ("0.0.9", "expected a version above 0.1.0, found 0.0.9"),
    ],
)
def test_an_unusable_version_changes_nothing(project, version, reason):
    """The message says what was expected."""
    with pytest.raises(release.ReleaseError, match=reason):
        release.cut(project, version, DAY)
    assert changelog_of(project) == CHANGELOG


def test_there_must_be_something_to_release(project):
    """A second release without a change is rejected, whatever its version."""
    release.cut(project, "1.0.0", DAY)
    for version in ("1.0.0", "1.0.1"):
        with pytest.raises(release.ReleaseError, match=r"above 1\.0\.0|nothing to release"):
            release.cut(project, version, DAY)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# Changelog\n\n## [0.1.0] - 2026-01-02\n", r"expected the section \[Unreleased\] first"),
        (CHANGELOG + "\n## [0.2.0] - 2026-01-02\n", "has version 0.1.0, CHANGELOG.md has 0.2.0"),
        (CHANGELOG + "\n## [0.1.0]\n\n## [0.2.0]\n", "each version once, newest first"),
    ],
)
def test_package_and_changelog_agree(project, text, reason):
    """One of them is out of date otherwise."""
    (project / release.CHANGELOG).write_text(text)
    with pytest.raises(release.ReleaseError, match=reason):
        release.check(project)


def test_a_package_without_a_version_is_refused(project):
    """The version has one source."""
    (project / release.SOURCE).write_text("")
    with pytest.raises(release.ReleaseError, match="expected a line __version__"):
        release.check(project)


def test_the_command_reports_one_line(project):
    """It exits with 1 and a reason if the release cannot be cut."""
    script = ROOT / "scripts" / "release.py"

    def run(*arguments):
        command = [sys.executable, script, "--root", project, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("--check").stdout == "0.1.0: package, pages and changelog agree\n"
    assert run("--notes").stderr == "CHANGELOG.md: there is no section [0.1.0]\n"
    assert run("1.0.0").stdout.startswith("Wrote version 1.0.0 into ")
    assert run("--version").stdout == "1.0.0\n"
    assert run("--notes").stdout == "### Fixed\n\n- A bug.\n"
    assert run("1.0.0").stderr == "expected a version above 1.0.0, found 1.0.0\n"
    assert run().returncode == 2


def test_this_repository_can_be_released(tmp_path):
    """Its own version and changelog agree, and the next major version can be cut."""
    for path in (release.SOURCE, release.CHANGELOG):
        (tmp_path / path.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    major = release.parse(release.check(tmp_path))[0]
    if release.sections(changelog_of(tmp_path))[release.UNRELEASED]:
        release.cut(tmp_path, f"{major + 1}.0.0", DAY)
        assert release.check(tmp_path) == f"{major + 1}.0.0"


@pytest.mark.skipif(sys.platform == "win32", reason="the script runs in bash")
def test_a_version_is_added_to_the_site(tmp_path):
    """The newest is also `latest`, and the selector of versions lists all of them."""

    def git(folder, *arguments):
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = ["git", *identity, "-C", str(folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    work, remote = tmp_path / "work", tmp_path / "remote"
    (work / "scripts").mkdir(parents=True)
    (work / "site").mkdir()
    shutil.copy(ROOT / "scripts" / "publish_site.sh", work / "scripts")
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(work, "init", "-q")
    git(work, "add", "scripts")
    git(work, "commit", "-q", "-m", "first")
    names = ("AUTHOR", "COMMITTER")
    identity = {f"GIT_{name}_{key}": "a@b" for name in names for key in ("NAME", "EMAIL")}
    for version in ("1.9.0", "1.10.0"):
        (work / "site" / "index.html").write_text(version)
        subprocess.run(
            [work / "scripts" / "publish_site.sh", version, remote],
            env=os.environ | identity, check=True, capture_output=True,
        )  # fmt: skip
    shown = {name: git(remote, "show", f"gh-pages:{name}/index.html")
             for name in ("1.9.0", "1.10.0", "latest")}  # fmt: skip
    assert shown == {"1.9.0": "1.9.0", "1.10.0": "1.10.0", "latest": "1.10.0"}
    versions = json.loads(git(remote, "show", "gh-pages:versions.json"))
    assert [entry["version"] for entry in versions] == ["1.10.0", "1.9.0"]
    assert [entry["aliases"] for entry in versions] == [["latest"], []]
