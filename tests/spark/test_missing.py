"""Messages for environments without Spark."""

import builtins

import pytest

import berryeval.spark
from berryeval.errors import MissingExtraError
from spark import cluster


@pytest.fixture
def no_spark(monkeypatch):
    """An environment without pyspark."""
    plain = builtins.__import__

    def refuse(name, *more, **named):
        if name.partition(".")[0] == "pyspark":
            raise ModuleNotFoundError("No module named 'pyspark'")
        return plain(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)


@pytest.mark.parametrize("call", [berryeval.spark.evaluate, berryeval.spark.compare])
@pytest.mark.usefixtures("no_spark")
def test_the_extra_is_named(call):
    """The message is a command that installs it."""
    with pytest.raises(MissingExtraError, match=r"pip install 'berryeval\[spark\]'"):
        call(None, {})


def test_tests_say_what_is_missing(monkeypatch):
    """They are skipped, but fail if Spark is required."""
    monkeypatch.setattr(cluster, "NEEDED", ("no_such_package",))
    assert "no_such_package not installed; `make spark`" in cluster.missing()
    monkeypatch.delenv("SPARK_REQUIRED", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no_such_package"):
        cluster.require_spark()
    monkeypatch.setenv("SPARK_REQUIRED", "1")
    with pytest.raises(pytest.fail.Exception, match="no_such_package"):
        cluster.require_spark()


def test_an_old_java_is_named(monkeypatch, tmp_path):
    """Spark's own message is a page long."""
    monkeypatch.setattr(cluster, "NEEDED", ())
    folder = tmp_path / "bin"
    folder.mkdir()
    java = folder / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert "Java 11" in cluster.missing()
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME")
    assert cluster.missing().startswith("no Java found")
