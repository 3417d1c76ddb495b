#!/usr/bin/env bash
# The first two journeys of a new user, with a package that is installed in an environment:
#
#   scripts/first_hour.sh BIN     BIN is the folder of the environment's programs
#
# 1. From two run files to a comparison: one command.
# 2. From a RAG retriever in Python to a gate in CI: at most six commands, with the installation and git.
#
# It runs in a new folder outside the clone, and fails if an output or an exit code is not the expected one.
set -euo pipefail

bin=$(cd "$1" && pwd)
examples=$(cd "$(dirname "$0")/.." && pwd)/examples
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
export PATH="$bin:$PATH" COLUMNS=120 HOME="$place" GIT_AUTHOR_NAME=new GIT_AUTHOR_EMAIL=new@example.org
export GIT_COMMITTER_NAME=new GIT_COMMITTER_EMAIL=new@example.org
unset PYTHONPATH

n_commands=0
output=$place/output.txt

# Types a command as the user would, and expects an exit code and some words of the output.
types() {
  local code=$1 words=$2 found=0
  shift 2
  printf '$ %s\n' "$*"
  n_commands=$((n_commands + 1))
  "$@" > "$output" 2>&1 || found=$?
  sed 's/^/    /' "$output" | head -4
  if [ "$found" -ne "$code" ]; then
    cat "$output"
    echo "expected exit code $code, found $found" >&2
    exit 1
  fi
  if [ -n "$words" ] && ! grep -q -- "$words" "$output"; then
    cat "$output"
    echo "expected the words: $words" >&2
    exit 1
  fi
}

at_most() {
  if [ "$n_commands" -gt "$1" ]; then
    echo "expected at most $1 commands, found $n_commands" >&2
    exit 1
  fi
  printf '%s: %d of at most %d commands, %d s\n\n' "$2" "$n_commands" "$1" $((SECONDS - started))
}

exists() {
  if [ ! -s "$1" ]; then
    echo "expected the file $1" >&2
    exit 1
  fi
}

echo "== What was installed"
case $(python -c 'import berryeval; print(berryeval.__file__)') in
  "$(dirname "$examples")"/src/*)
    echo "berryeval is that of the clone; install a built package into $bin" >&2
    exit 1
    ;;
esac
berryeval version

echo "== The command of README"
started=$SECONDS
types 0 "Can hybrid replace bm25? " berryeval demo
exists berryeval-demo.html
at_most 1 "README"

echo "== Two run files to an honest answer"
cp -r "$examples/runs" mine
cd mine
n_commands=0 started=$SECONDS
types 0 "stems.run is better than words.run: nDCG@10 rises" berryeval compare qrels.txt words.run stems.run
at_most 1 "Two run files"
types 0 "Wrote .* files into examples" berryeval examples
exists examples/rag_project/rag_app.py
cd ..

echo "== A RAG retriever in Python to a gate in CI"
cp -r "$examples/rag_project" project
cd project
git init -q --initial-branch main
n_commands=1 started=$SECONDS # the first one installed berryeval
types 0 "Wrote berryeval.toml and .github/workflows/search-quality.yml" berryeval init --ci github
types 0 "Saved .*60 queries" berryeval baseline save
types 0 "PASS" berryeval gate
types 0 "" git add .
types 0 "main" git commit -m "Guard the retriever"
at_most 6 "A RAG retriever"

echo "== The gate stops a bad change"
sed -i.before 's/return re.findall(r"\\w+", text.lower())/return re.findall(r"\\w+", text.lower())[:3]/' rag_app.py
if cmp -s rag_app.py rag_app.py.before; then
  echo "expected a changed retriever" >&2
  exit 1
fi
types 1 "FAIL" berryeval gate --report gate.md --report gate.html
exists gate.md
exists gate.html

echo "== A command that needs an extra names it"
cd "$place"
if ! python -c 'import fastapi' 2> /dev/null; then
  types 2 "berryeval\[service\]" berryeval serve
fi
if ! python -c 'import tantivy' 2> /dev/null; then
  types 2 "berryeval\[search\]" berryeval quality --system hybrid
fi
echo "The first hour works."
