#!/usr/bin/env bash
# Runs the steps of deploy/Containerfile without a container engine: installs what is committed into
# a new environment, then runs the service there as the image does: as another user, with its
# variables, one writable folder and a read-only program.
#
#   deploy/try_image_steps.sh [ENVIRONMENT]     reuses the environment of an earlier run
#
# Not tried: the base images, the kernel's isolation of a container, and compose.yaml.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'kill "$(cat "$place/tmp/pid" 2> /dev/null)" 2> /dev/null || true; rm -rf "$place"' EXIT
chmod 755 "$place"
environment=${1:-$place/berryeval}
data=$place/data
mkdir "$data" "$place/tmp"

if [ ! -x "$environment/bin/berryeval" ]; then
  echo "== Build stage: the committed sources, in a clean environment"
  mkdir "$place/source"
  git archive HEAD | tar -x -C "$place/source"
  variables=(PATH="$PATH" HOME="$place/tmp" PYTHON="${PYTHON:-python3}")
  # Keep the package index that this machine is configured to use.
  for name in PIP_INDEX_URL PIP_CONFIG_FILE UV_INDEX_URL UV_DEFAULT_INDEX SSL_CERT_FILE; do
    [ -z "${!name:-}" ] || variables+=("$name=${!name}")
  done
  env -i "${variables[@]}" sh "$place/source/deploy/install.sh" "$environment"
  chmod -R a-w "$environment"
fi

echo "== Final stage: another user, the variables of the image, one writable folder"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
as_image() {
  local user=()
  if [ "$(id -u)" -eq 0 ]; then
    user=(setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs)
  fi
  (cd "$data" && env -i PATH="$environment/bin:/usr/bin:/bin" TMPDIR="$place/tmp" PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 BERRYEVAL_HOST=0.0.0.0 BERRYEVAL_PORT="$port" \
    BERRYEVAL_ARCHIVE="$data/berryeval.db" "${user[@]}" "$@")
}
if [ "$(id -u)" -eq 0 ]; then
  chown 10001:10001 "$data" "$place/tmp"
fi
# The command of HEALTHCHECK, as the engine would run it.
health=$(sed -n 's/^HEALTHCHECK .* CMD \["python", "-c", "\(.*\)"\]$/\1/p' deploy/Containerfile)
test -n "$health"

wait_until_healthy() {
  for _ in $(seq 300); do
    if as_image python -c "$health" 2> /dev/null; then
      return
    fi
    sleep 0.2
  done
  cat "$place/log"
  echo "expected a healthy service within a minute" >&2
  exit 1
}

start() {
  as_image sh -c 'echo $$ > "$TMPDIR/pid"; exec berryeval serve' > "$place/log" 2>&1 &
  waited=$!
  wait_until_healthy
}

stop() {
  kill -TERM "$(cat "$place/tmp/pid")"
  rm "$place/tmp/pid"
  wait "$waited" # it exits with 0
}

if ! as_image berryeval version; then
  echo "User 10001 cannot run $environment; choose a Python outside of home folders with PYTHON=" >&2
  exit 1
fi
if as_image berryeval serve > "$place/log" 2>&1 || ! grep -q "token create" "$place/log"; then
  cat "$place/log"
  echo "expected a service without tokens to refuse to start" >&2
  exit 1
fi
token=$(as_image berryeval token create ada --role admin)
start
body='[{"query_id": "q1", "doc_id": "d1", "relevance": 2}]'
answer() { curl -fsS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"; }
answer -d "$body" "http://127.0.0.1:$port/v1/evaluation/judgments"
if curl -fsS "http://127.0.0.1:$port/v1/judgments" > /dev/null 2>&1; then
  echo "expected a request without a token to be rejected" >&2
  exit 1
fi
stop
start
answer "http://127.0.0.1:$port/v1/judgments" | grep -q '"d1"'
as_image sh "$PWD/deploy/backup.sh" "$data/berryeval.db" "$data/backups"
as_image sh -c 'cd backups && tar -xzf berryeval-*.tar.gz && berryeval archive import export restored.db'
stop
written=$(find "$environment" -newer "$data" -type f | head -3)
if [ -n "$written" ]; then
  echo "expected nothing to be written into the program, found $written" >&2
  exit 1
fi
echo "The steps of the image work: build, token, start, health, restart, backup and restore."
