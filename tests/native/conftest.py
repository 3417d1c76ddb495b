"""Where the extension was not built there is nothing of its own to test."""

from berryeval.backend import backend

collect_ignore = [] if backend().name == "native" else ["test_extension.py", "test_kernel_twins.py"]
