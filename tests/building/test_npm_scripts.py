"""The build installs the pinned page scripts, or none."""

import dataclasses
import importlib.util
import io
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).parents[2] / "scripts" / "building"


def load(name: str):
    specification = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def packed(**files: bytes) -> bytes:
    """Pack files like npm."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return content.getvalue()


PACKED = packed(script=b"one();", LICENSE=b"free")


class Npm:
    """A fake npm that returns the given packages, and counts calls."""

    def __init__(self) -> None:
        self.content: bytes | None = PACKED
        self.commands: list[list[str]] = []

    def run(self, command, *, cwd, **_options):
        self.commands.append(command)
        if self.content is None:
            return subprocess.CompletedProcess(command, 1, "", "npm error\n no network\n")
        (Path(cwd) / "a-1.2.3.tgz").write_bytes(self.content)
        return subprocess.CompletedProcess(command, 0, "a-1.2.3.tgz\n", "")


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """The module, with a test package to fetch and a temporary target folder."""
    monkeypatch.delitem(sys.modules, "npm_scripts", raising=False)
    module = load("npm_scripts")
    package = module.Package(
        name="a",
        version="1.2.3",
        integrity=module._integrity(PACKED),
        files={
            "a.js": ("script", module._integrity(b"one();")),
            "a.LICENSE.txt": ("LICENSE", module._integrity(b"free")),
        },
    )
    monkeypatch.setattr(module, "PACKAGES", (package,))
    monkeypatch.setattr(module, "FOLDER", tmp_path / "static" / "vendor")
    yield module
    sys.modules.pop("npm_scripts", None)


@pytest.fixture
def npm(scripts, monkeypatch):
    """A fake npm that has the package."""
    program = Npm()
    monkeypatch.setattr(scripts.shutil, "which", lambda _name: "/somewhere/npm")
    monkeypatch.setattr(scripts.subprocess, "run", program.run)
    return program


def test_a_script_and_its_licence_are_fetched_once(scripts, npm):
    """The second build finds them in place."""
    assert scripts.place()
    assert scripts.place()
    assert len(npm.commands) == 1
    assert npm.commands[0][1:3] == ["pack", "a@1.2.3"]
    assert "--ignore-scripts" in npm.commands[0]
    found = {path.name: path.read_bytes() for path in scripts.FOLDER.iterdir()}
    assert found == {"a.js": b"one();", "a.LICENSE.txt": b"free"}


def test_a_script_of_another_version_is_replaced(scripts, npm):
    """Outdated or damaged scripts do not end up in a wheel."""
    scripts.FOLDER.mkdir(parents=True)
    (scripts.FOLDER / "a.js").write_bytes(b"old();")
    assert scripts.place()
    assert (scripts.FOLDER / "a.js").read_bytes() == b"one();"
    assert npm.commands


def test_a_package_with_another_hash_is_rejected(scripts, npm, capsys):
    """Nothing is unpacked, and the build continues."""
    npm.content = packed(script=b"evil();", LICENSE=b"free")
    assert not scripts.place()
    assert not scripts.FOLDER.exists()
    assert "WARNING: building without a 1.2.3: expected a package with" in capsys.readouterr().err


def test_the_build_continues_without_a_network(scripts, npm, capsys):
    """One line reports what is missing and why."""
    npm.content = None
    assert not scripts.place()
    message = capsys.readouterr().err
    assert "npm pack ended with 1: npm error no network" in message
    assert message.count("\n") == 1


def test_a_missing_or_hanging_npm_does_not_break_the_build(scripts, npm, monkeypatch, capsys):
    """A program that does not respond is treated as missing."""

    def hang(command, **_options):
        raise subprocess.TimeoutExpired(command, 300)

    monkeypatch.setattr(scripts.subprocess, "run", hang)
    assert npm.commands == []
    assert not scripts.place()
    assert "npm pack did not end well" in capsys.readouterr().err


def test_without_npm_the_build_frontend_is_asked_to_install_it(scripts, npm, monkeypatch, capsys):
    """A wheel of Node provides it during the build, unless all scripts are in place."""
    assert npm.commands == []
    assert scripts.requirements() == []
    monkeypatch.setattr(scripts.shutil, "which", lambda _name: None)
    assert scripts.requirements() == [scripts.NODE]
    assert not scripts.place()
    assert "there is no npm" in capsys.readouterr().err


def test_existing_scripts_require_no_npm(scripts, npm, monkeypatch):
    """A source distribution contains the scripts."""
    assert npm.commands == []
    assert scripts.place()
    monkeypatch.setattr(scripts.shutil, "which", lambda _name: None)
    assert scripts.requirements() == []
    assert scripts.place()


@pytest.mark.parametrize("kind", ["wheel", "editable", "sdist"])
def test_every_kind_of_build_fetches_the_scripts_first(scripts, npm, monkeypatch, tmp_path, kind):
    """Wheel, editable install and source distribution behave alike."""
    seen = []

    def build(*arguments):
        seen.append((arguments, (scripts.FOLDER / "a.js").exists()))
        return "name"

    inner = SimpleNamespace(
        **{f"build_{kind}": build, f"get_requires_for_build_{kind}": lambda _settings: ["cmake"]}
    )
    monkeypatch.setitem(sys.modules, "scikit_build_core", SimpleNamespace(build=inner))
    monkeypatch.delitem(sys.modules, "berryeval_build", raising=False)
    backend = load("berryeval_build")
    monkeypatch.delitem(sys.modules, "berryeval_build")
    assert getattr(backend, f"get_requires_for_build_{kind}")({"a": "b"}) == ["cmake"]
    assert getattr(backend, f"build_{kind}")(str(tmp_path), {"a": "b"}) == "name"
    assert seen[0][0][:2] == (str(tmp_path), {"a": "b"})
    assert seen[0][1]
    assert len(npm.commands) == 1


def test_pinned_packages_are_complete():
    """Each package has a version, its hash, and the hash of each file."""
    module = load("npm_scripts")
    sys.modules.pop("npm_scripts")
    for package in module.PACKAGES:
        assert all(dataclasses.astuple(package))
        hashes = [package.integrity, *(known for _, known in package.files.values())]
        assert all(known.startswith("sha512-") and len(known) == 95 for known in hashes)
        assert any("LICENSE" in name for name in package.files)
