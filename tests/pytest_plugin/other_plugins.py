"""Plugins of this environment, which every process of a test would import in a second."""

WITHOUT_THEM = tuple(
    word
    for name in ("anyio", "benchmark", "hypothesispytest", "randomly", "schemathesis")
    for word in ("-p", f"no:{name}")
)
