"""Settings of all tests."""

import os

from hypothesis import settings

pytest_plugins = ["pytester"]  # runs pytest inside a test; only here may a plugin be named

# No test asserts a time: machines are shared, and a slow moment is no defect.
settings.register_profile("berryeval", deadline=None)
settings.load_profile("berryeval")

# Where coverage is measured it starts with the interpreter, before pytest loads our plugin. What
# tests start themselves runs as it does for users.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("COVERAGE_PROCESS_START", None)
