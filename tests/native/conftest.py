"""Skips these tests on a build without the extension."""

from berryeval.backend import backend

collect_ignore = [] if backend().name == "native" else ["test_extension.py", "test_kernel_twins.py"]
