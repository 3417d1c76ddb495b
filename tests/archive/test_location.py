"""Locations that an archive accepts, and their names in messages."""

import pytest

from berryeval.archive.location import Location


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://db/eval", "postgresql://db/eval"),
        ("postgres://ada@db", "postgres://ada@db"),
        ("postgresql://ada:hunter2@db:5432/eval", "postgresql://ada@db:5432/eval"),
        ("postgresql://ada:a?b#c:d@db/eval", "postgresql://ada@db/eval"),
        ("postgresql://ada:hunt%40er2@db/eval", "postgresql://ada@db/eval"),
        ("postgresql://:hunter2@db", "postgresql://@db"),
        ("postgresql://ada:hunter2@[::1]:5432/eval", "postgresql://ada@[::1]:5432/eval"),
        ("postgresql://ada:hunter2@a:1,b:2/eval", "postgresql://ada@a:1,b:2/eval"),
        ("postgresql:///eval?host=/run/pg&password=hunter2", "postgresql:///eval"),
        ("postgresql://db?user=ada&password=hunter2", "postgresql://db"),
        ("postgresql://%2Frun%2Fpg/eval", "postgresql://%2Frun%2Fpg/eval"),
    ],
)
def test_an_address_is_shown_without_its_password(address, name):
    """The address itself is passed on as given."""
    assert Location.of(address) == Location(name, dsn=address)


@pytest.mark.parametrize("name", ["berryeval.db", "my archive.db", "./k=1.db", "./a:b.db", "a@b"])
def test_any_file_can_be_named(tmp_path, monkeypatch, name):
    """With ./ in front, its name may even look like an address."""
    monkeypatch.chdir(tmp_path)
    assert Location.of(name) == Location(name, path=str(tmp_path / name))


def test_a_folder_may_have_an_equals_sign(tmp_path):
    """Partitioned data has such folders: year=2026/berryeval.db."""
    folder = tmp_path / "year=2026"
    folder.mkdir()
    assert Location.of(folder / "a.db").path == str(folder / "a.db")
