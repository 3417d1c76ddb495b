#!/usr/bin/env bash
# Builds berryeval in one of several ways, installs it into a separate environment, and tests it
# there.
#
#   scripts/build_and_test.sh sdist        FOLDER   pip install of the source distribution
#   scripts/build_and_test.sh no-compiler  FOLDER   pip install where no compiler works
#   scripts/build_and_test.sh sanitizers   FOLDER   the source distribution with AddressSanitizer and UBSan
set -euo pipefail
cd "$(dirname "$0")/.."

kind=$1
folder=$2
python=${PYTHON:-python3}

make -s .venv/created PYTHON="$python"
rm -rf "$folder"
mkdir -p "$folder"
"$python" -m venv --without-pip "$folder/venv"
bin=$folder/venv/bin
hashed() { .venv/bin/uv pip install --quiet --python "$bin/python" --require-hashes "$@"; }
hashed --constraint constraints.txt --requirement requirements-installers.txt \
  --requirement pyproject.toml --group built

# What is built here has no hash: pip installs it alone, with build isolation, as for users.
install() {
  PIP_PYTHON=$bin/python .venv/bin/python -m pip install -qq --no-deps --build-constraint constraints.txt "$@"
}

install_sdist() {
  "$bin/python" -m build -q --sdist --dependency-constraints-txt constraints.txt --outdir "$folder/dist"
  install "$folder"/dist/*.tar.gz "$@"
}

run_tests() {
  # The sources in src/ are not on the path, so the installed package is tested.
  "$bin/python" -m pytest --rootdir="$PWD" --config-file=pyproject.toml -q -p no:cacheprovider "$@"
}

# `make test` has tested the code itself; this checks that all of it was packed.
packed=(tests/golden tests/test_{public_api,summation}.py)
native=(tests/test_backend.py tests/native tests/metrics)

# Tests that depend on the build. Those of the formulas in Python, and of their properties, do not.
built=(tests/cli/test_{compare,convert_and_inspect,evaluate,trec_eval}.py tests/core tests/engine
  tests/evaluation/test_{comparing,evaluate,gating}.py tests/formats tests/metrics tests/native
  tests/stats/test_simultaneous.py tests/trec_eval tests/test_backend.py tests/test_public_api.py)

case $kind in
  sdist)
    install_sdist
    "$bin/berryeval" version
    run_tests -n auto "${packed[@]}" "${native[@]}"
    ;;
  no-compiler)
    CC=no-such-compiler CXX=no-such-compiler install .
    "$bin/berryeval" version
    BERRYEVAL_EXPECTED_BACKEND=python run_tests -n auto "${built[@]}"
    ;;
  sanitizers)
    install_sdist \
      --config-settings=cmake.define.BERRYEVAL_SANITIZE=ON --config-settings=install.strip=false
    preload="$(c++ -print-file-name=libasan.so):$(c++ -print-file-name=libstdc++.so)"
    export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
    # Python itself frees little at exit, so leaks are not detected. The oracle is not installed:
    # pytrec_eval frees memory from new[] the wrong way, which would end the run.
    .venv/bin/uv pip uninstall --quiet --python "$bin/python" pytrec-eval-terrier
    LD_PRELOAD=$preload run_tests --capture=no "${native[@]}" tests/core/test_frames.py \
      tests/properties/test_both_apis_agree.py
    LD_PRELOAD=$preload run_tests "${packed[@]}"
    ;;
  *)
    echo "unknown kind of build: $kind" >&2
    exit 2
    ;;
esac
