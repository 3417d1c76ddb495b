"""Registered systems: replaced as a whole, and never exported."""

from berryeval.archive import Archive

SECRETS = {"api_key": "sk-very-secret", "header X-Team": "search"}


def test_a_system_is_stored_replaced_and_removed(archive):
    """Replacing one drops the credentials of its former address."""
    stored, is_new = archive.systems.put(
        "shop", "opensearch:http://h/i", {"mode": "bm25"}, SECRETS, author="ada"
    )
    assert is_new
    assert archive.systems.get("shop") == stored
    assert "secret" not in repr(stored)
    replaced, is_new = archive.systems.put("shop", "http://other/{query}", {}, {}, author="bo")
    assert not is_new
    assert archive.systems.page().items == (replaced,)
    assert not replaced.secrets
    assert archive.systems.remove("shop")
    assert not archive.systems.remove("shop")
    assert archive.systems.get("shop") is None


def test_an_export_leaves_credentials_out(tmp_path):
    """An export contains neither systems nor their secrets."""
    with Archive.open(tmp_path / "a.db") as archive:
        archive.systems.put("shop", "http://h/{query}", {}, SECRETS, author="ada")
        archive.export(tmp_path / "out")
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert files
    assert not any(b"very-secret" in path.read_bytes() for path in files)
