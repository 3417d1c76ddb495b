"""Built packages are checked before they are published."""

import io
import re
import tarfile
import zipfile

import check_packages
import pytest

INFO = "berryeval-1.0.0.dist-info"
METADATA = "\n".join(
    [
        "Metadata-Version: 2.4",
        "Name: berryeval",
        "Version: 1.0.0",
        *(f"Project-URL: {label}, https://example.org" for label in check_packages.LABELS),
        "",
        "# BerryEval",
        "",
        "[a](https://example.org)",
    ]
)
IN_WHEEL = {
    **dict.fromkeys(check_packages.IN_WHEEL, ""),
    **{f"{INFO}/licenses/{name}": "" for name in check_packages.LICENSES},
    f"{INFO}/METADATA": METADATA,
    "berryeval/_native.abi3.so": "",
}
IN_SDIST = {**dict.fromkeys(check_packages.IN_SDIST, ""), "PKG-INFO": METADATA}


def write_wheel(folder, files, tag="cp312-abi3-linux_x86_64"):
    path = folder / f"berryeval-1.0.0-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


def write_sdist(folder, files):
    path = folder / "berryeval-1.0.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"berryeval-1.0.0/{name}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_complete_packages_pass(tmp_path, monkeypatch, capsys):
    """A wheel, a pure wheel and a source distribution are accepted."""
    write_wheel(tmp_path, IN_WHEEL)
    pure = {name: text for name, text in IN_WHEEL.items() if not name.endswith(".so")}
    write_wheel(tmp_path, pure, "py3-none-any")
    write_sdist(tmp_path, IN_SDIST)
    monkeypatch.setattr("sys.argv", ["check_packages.py", str(tmp_path)])
    check_packages.main()
    assert capsys.readouterr().out == "2 wheel(s) and the source distribution are complete\n"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"berryeval/examples/runs/qrels.txt": None}, "without berryeval/examples/runs/qrels.txt"),
        ({f"{INFO}/licenses/LICENSE": None}, f"without {INFO}/licenses/LICENSE"),
        ({"berryeval/_native.abi3.so": None}, "expected one extension, found []"),
        ({"tests/test_a.py": ""}, "unexpected tests"),
        ({"berryeval/__pycache__/a.pyc": ""}, "stray file berryeval/__pycache__/a.pyc"),
        ({f"{INFO}/METADATA": METADATA + "\n[b](docs/b.md)"}, "relative link ](docs/b.md)"),
        ({f"{INFO}/METADATA": METADATA.replace("Source", "X")}, "no address of Source"),
        ({f"{INFO}/METADATA": METADATA.replace("# B", "B")}, "the long description is not README"),
    ],
)
def test_a_faulty_wheel_is_reported(tmp_path, changes, fault):
    """The fault is named."""
    files = {name: text for name, text in (IN_WHEEL | changes).items() if text is not None}
    assert check_packages.wheel_faults(write_wheel(tmp_path, files)) == [fault]


def test_a_pure_wheel_has_no_extension(tmp_path):
    """Its tag says that it fits every machine."""
    path = write_wheel(tmp_path, IN_WHEEL, "py3-none-any")
    assert check_packages.wheel_faults(path) == ["pure, but has berryeval/_native.abi3.so"]


def test_an_incomplete_source_distribution_is_reported(tmp_path, monkeypatch):
    """So is a folder without wheels."""
    write_sdist(tmp_path, {name: text for name, text in IN_SDIST.items() if name != "LICENSE"})
    monkeypatch.setattr("sys.argv", ["check_packages.py", str(tmp_path)])
    expected = "expected wheels and one sdist\nberryeval-1.0.0.tar.gz: without LICENSE"
    with pytest.raises(SystemExit, match=re.escape(expected)):
        check_packages.main()
