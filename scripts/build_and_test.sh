#!/usr/bin/env bash
# Builds berryeval in one of several ways, installs it into an environment of its own, and tests it
# there. The environment may be that of another build, which goes.
#
#   scripts/build_and_test.sh sdist        FOLDER   pip install of the source distribution
#   scripts/build_and_test.sh no-compiler  FOLDER   pip install where no compiler works
#   scripts/build_and_test.sh sanitizers   FOLDER   with AddressSanitizer and UBSan, native tests only
set -euo pipefail
cd "$(dirname "$0")/.."

kind=$1
folder=$2
python=${PYTHON:-python3}

mkdir -p "$folder"
"$python" -m venv "$folder/venv"
bin=$folder/venv/bin
"$bin/python" -m pip install -qq --require-hashes --requirement requirements-pip.txt
hashed() { "$bin/python" -m pip install -qq --require-hashes --constraint constraints.txt "$@"; }
group=built
[ "$kind" = sanitizers ] && group=native
hashed --group "$group"
"$bin/python" -m pip uninstall -qq --yes berryeval

# pip has no hash of what is built here: it comes alone, and its dependencies by what it names.
install() {
  "$bin/python" -m pip install -qq --no-deps --build-constraint constraints.txt "$@"
  hashed berryeval
}

run_tests() {
  # The sources are under src/ and not on the path: what was installed is what is tested.
  "$bin/python" -m pytest --rootdir="$PWD" --config-file=pyproject.toml -q -p no:cacheprovider "$@"
}

# What depends on how it was built. The formulas in Python, and their properties, do not.
built=(tests/cli/test_{compare,convert_and_inspect,evaluate,trec_eval}.py tests/core tests/engine
  tests/evaluation/test_{comparing,evaluate,gating}.py tests/formats tests/metrics tests/native
  tests/stats/test_simultaneous.py tests/trec_eval tests/test_backend.py tests/test_public_api.py)

case $kind in
  sdist)
    hashed build
    rm -rf "$folder/dist"
    "$bin/python" -m build -q --sdist --dependency-constraints-txt constraints.txt --outdir "$folder/dist"
    install "$folder"/dist/*.tar.gz
    "$bin/berryeval" version
    # The code is what `make test` has tested: here it matters that all of it was packed.
    run_tests -n auto tests/golden tests/metrics tests/native tests/test_{backend,public_api,summation}.py
    ;;
  no-compiler)
    CC=no-such-compiler CXX=no-such-compiler install .
    "$bin/berryeval" version
    BERRYEVAL_EXPECTED_BACKEND=python run_tests -n auto "${built[@]}"
    ;;
  sanitizers)
    install . \
      --config-settings=cmake.define.BERRYEVAL_SANITIZE=ON --config-settings=install.strip=false
    preload="$(c++ -print-file-name=libasan.so):$(c++ -print-file-name=libstdc++.so)"
    # Python itself frees little at exit, so leaks are not looked for. The oracle stays out:
    # pytrec_eval frees what it got from new[], which ends the run.
    LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
      run_tests --capture=no tests/test_backend.py tests/native tests/metrics tests/core/test_frames.py tests/properties/test_both_doors_agree.py
    ;;
  *)
    echo "unknown kind of build: $kind" >&2
    exit 2
    ;;
esac
