#!/bin/sh
# Install a browser for the browser tests, if that works without prompts.
# Never fails: without a browser, these tests are skipped with a message.
# Headless Chromium is the first choice: it is smaller and faster.
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
install() {
  apt-get install -qq -y --no-install-recommends chromium-headless-shell ||
    apt-get install -qq -y --no-install-recommends chromium
}
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Installing Chromium for the tests of pages"
  if { install || { apt-get update -qq && install; }; } >/dev/null 2>&1; then
    exit 0
  fi
fi
echo "No Chromium here: tests of pages are skipped (apt-get install chromium, or playwright install chromium)"
exit 0
