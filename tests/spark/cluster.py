"""A real Spark cluster for tests: two executor processes on this machine.

Spark comes from pip, and Java from the machine: `scripts/install_java.sh` installs it if it can.
Without either, tests are skipped with the reason, unless SPARK_REQUIRED is set.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import pytest

OLDEST_JAVA = 17
MASTER = "local-cluster[2,1,1024]"
"""Two workers with one core and 1 GB each; TEST_SPARK_MASTER names another cluster."""
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compiling code that runs once takes Java longer than running it."""
NEEDED = ("pyspark", "pandas", "pyarrow")


def missing() -> str | None:
    """Return what Spark lacks, and how to get it; None if it can start."""
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        way_out = "`make spark` installs everything into .cache/spark"
        return f"{', '.join(lacking)} not installed; {way_out}"
    java = java_home()
    if java is None:
        return "no Java found; install version 17 or newer, such as openjdk-17-jre-headless"
    version = java_version(java)
    if version < OLDEST_JAVA:
        return f"Java {version} in {java} is too old: Spark requires 17 or newer"
    import pyspark

    if not os.access(Path(pyspark.__file__).parent, os.W_OK):
        return "the folder of pyspark is not writable, and a local cluster writes into it"
    return None


def java_home() -> Path | None:
    """Return the folder of Java: that of JAVA_HOME, else that of the program on the path."""
    if os.environ.get("JAVA_HOME"):
        return Path(os.environ["JAVA_HOME"])
    found = shutil.which("java")
    return None if found is None else Path(found).resolve().parent.parent


def java_version(home: Path) -> int:
    """Return the major version of a Java; 0 if it does not start."""
    done = subprocess.run(
        [home / "bin" / "java", "-version"], capture_output=True, text=True, check=False
    )
    found = re.search(r'version "(\d+)', done.stderr)
    return int(found.group(1)) if found else 0


def require_spark() -> None:
    """Skip the module if Spark cannot start; fail if it must."""
    lacking = missing()
    if lacking is None:
        return
    if os.environ.get("SPARK_REQUIRED"):
        pytest.fail(lacking, pytrace=False)
    pytest.skip(lacking, allow_module_level=True)


@cache
def session():
    """Return the session of the cluster, started once for all tests and stopped at the end."""
    os.environ["JAVA_HOME"] = str(java_home())
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    # Not SPARK_HOME of another Spark, nor settings of this machine.
    os.environ.pop("SPARK_HOME", None)
    folder = tempfile.mkdtemp(prefix="berryeval-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    warnings.filterwarnings("ignore", module="pyspark")
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(os.environ.get("TEST_SPARK_MASTER", MASTER))
        .appName("berryeval-tests")
        .config("spark.log.level", "OFF")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.extraJavaOptions", QUICK_START)
        .config("spark.executor.extraJavaOptions", QUICK_START)
        .config("spark.local.dir", folder)
        .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.task.maxFailures", "2")
        # An executor that was killed does not come back: asking it again only takes time.
        .config("spark.shuffle.io.retryWait", "100ms")
        .getOrCreate()
    )
    atexit.register(spark.stop)
    return spark


def executors(spark) -> dict[str, int]:
    """Return the processes of the executors by their ids."""
    application = spark.sparkContext.applicationId
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
        except OSError:  # it has ended already
            continue
        if application in words and "--executor-id" in words:
            found[words[words.index("--executor-id") + 1]] = int(folder.name)
    return found


def kill(pid: int) -> None:
    """Kill one process immediately, like a power failure."""
    os.kill(pid, signal.SIGKILL)
