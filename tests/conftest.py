"""Settings of all tests."""

from hypothesis import settings

pytest_plugins = ["pytester"]  # runs pytest inside a test; only here may a plugin be named

# No test asserts a time: machines are shared, and a slow moment is no defect.
settings.register_profile("berryeval", deadline=None)
settings.load_profile("berryeval")
