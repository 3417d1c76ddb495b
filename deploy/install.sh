#!/bin/sh
# Builds berryeval from this source tree, and installs it with everything that the service uses
# into a new environment. Every package has a hash in constraints.txt.
#
#   deploy/install.sh ENVIRONMENT
set -eu
cd "$(dirname "$0")/.."

target=$1
python=${PYTHON:-python3}
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT

"$python" -m venv "$tools"
"$tools/bin/python" -m pip install -qq --no-cache-dir --require-hashes --requirement requirements-installers.txt
"$python" -m venv --without-pip "$target"
"$tools/bin/uv" pip install --quiet --link-mode copy --python "$target/bin/python" --require-hashes \
  --constraint constraints.txt --requirement pyproject.toml --extra service --extra postgres --extra search
# With build isolation. An image without the extension would be slow, so a failed build is an error.
BERRYEVAL_REQUIRE_NATIVE=1 PIP_PYTHON=$target/bin/python \
  "$tools/bin/python" -m pip install -qq --no-cache-dir --no-deps --build-constraint constraints.txt .
"$target/bin/python" -m compileall -qq "$target/lib"
"$target/bin/berryeval" version
