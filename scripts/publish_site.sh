#!/usr/bin/env bash
# Adds the built documentation in site/ to the branch gh-pages, as a version and as `latest`, and
# pushes it. The version selector of the site reads versions.json.
#
#   scripts/publish_site.sh VERSION [REMOTE]
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
remote=${2:-origin}
pages=$(mktemp -d)
trap 'git worktree remove --force "$pages"' EXIT

if git fetch -q "$remote" gh-pages; then
  git worktree add -q --detach "$pages" FETCH_HEAD
else
  git worktree add -q --detach "$pages"
  git -C "$pages" checkout -q --orphan gh-pages-new
  git -C "$pages" rm -rfq .
fi
for name in "$version" latest; do
  rm -rf "${pages:?}/$name"
  cp -r site "$pages/$name"
done
touch "$pages/.nojekyll"
cat > "$pages/index.html" << 'PAGE'
<!doctype html>
<meta charset="utf-8" />
<title>BerryEval</title>
<meta http-equiv="refresh" content="0; url=latest/index.html" />
<a href="latest/index.html">BerryEval</a>
PAGE
python3 - "$pages/versions.json" "$version" << 'PROGRAM'
import json
import sys
from pathlib import Path

path, version = Path(sys.argv[1]), sys.argv[2]
known = json.loads(path.read_text()) if path.exists() else []
others = [dict(entry, aliases=[]) for entry in known if entry["version"] != version]
others.append({"version": version, "title": version, "aliases": ["latest"]})
others.sort(key=lambda entry: tuple(map(int, entry["version"].split("."))), reverse=True)
path.write_text(json.dumps(others, indent=2) + "\n")
PROGRAM
git -C "$pages" add --all
git -C "$pages" commit -q -m "Documentation of $version"
git -C "$pages" push -q "$remote" HEAD:gh-pages
