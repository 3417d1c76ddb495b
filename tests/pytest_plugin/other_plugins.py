"""Other installed plugins, which every process of a test would take a second to import."""

WITHOUT_THEM = tuple(
    word
    for name in ("anyio", "benchmark", "hypothesispytest", "randomly", "schemathesis")
    for word in ("-p", f"no:{name}")
)
