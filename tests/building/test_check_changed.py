"""Which tests `make check` runs."""

import pytest

changed = pytest.importorskip("check_changed", reason="no scripts in a source distribution")


def test_a_module_selects_its_doctests_and_tests():
    """Its tests are those that import it, and those named after it."""
    found = changed.tests_of(["src/berryeval/stats/decline.py"])
    assert "src/berryeval/stats/decline.py" in found
    assert "tests/stats/test_decline.py" in found
    assert "tests/formats/test_beir.py" not in found


def test_a_changed_test_is_run():
    """Other changed files are not run."""
    assert changed.tests_of(["tests/stats/test_hall.py", "tests/cases.py"]) == [
        "tests/stats/test_hall.py"
    ]


def test_imports_of_every_form_are_recognised():
    """The package, and names that may be its modules."""
    text = "import berryeval.core\n    from berryeval.stats import (power, hall)\nimport os\n"
    assert set(changed.imported_by(text)) == {
        "berryeval.core", "berryeval.stats", "berryeval.stats.power", "berryeval.stats.hall",
    }  # fmt: skip


def test_new_files_count_as_changed(monkeypatch):
    """Without output from git there is nothing to run."""
    answers = iter(["src/berryeval/a.py\nREADME.md\n", "tests/test_a.py\n"])

    class Done:
        def __init__(self):
            self.stdout = next(answers)

    monkeypatch.setattr(changed.subprocess, "run", lambda *_args, **_how: Done())
    assert changed.changed_since("HEAD") == ["src/berryeval/a.py", "tests/test_a.py"]
