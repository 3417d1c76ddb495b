#!/usr/bin/env bash
# All steps of a release that need no network beyond the package index: builds the packages, checks
# their content and metadata, installs the wheel into a clean environment, lists what that installs,
# and runs the first hour of a new user there.
#
#   scripts/check_release.sh FOLDER
#
# The packages are built with the tools in .venv, where the extension is already compiled.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$1
bin=$PWD/.venv/bin
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

"$bin/python" scripts/release.py --check
build() {
  PATH=$bin:$PATH "$bin/python" -m build --no-isolation --outdir "$folder/dist" "$@" . > "$folder/build.log" 2>&1 || {
    cat "$folder/build.log"
    exit 1
  }
}
build --wheel --sdist
build --wheel -C wheel.cmake=false -C wheel.py-api= # for machines without a wheel of their own
"$bin/twine" check --strict "$folder"/dist/*
"$bin/python" scripts/check_packages.py "$folder/dist"

"${PYTHON:-python3}" -m venv --without-pip "$folder/venv"
"$bin/uv" pip install --quiet --python "$folder/venv/bin/python" \
  --require-hashes --constraint constraints.txt --requirement pyproject.toml
# By name: the installer has to prefer the wheel of this machine to the pure one.
"$bin/uv" pip install --quiet --python "$folder/venv/bin/python" --no-deps --no-index \
  --find-links "$folder/dist" berryeval
BERRYEVAL_BACKEND=native "$folder/venv/bin/berryeval" version
"$bin/cyclonedx-py" environment --pyproject pyproject.toml --mc-type library --output-reproducible \
  --output-file "$folder/sbom.cdx.json" "$folder/venv/bin/python"
scripts/first_hour.sh "$folder/venv/bin"
