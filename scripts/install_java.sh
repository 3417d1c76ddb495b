#!/bin/sh
# Install Java for the Spark tests, if that works without prompts.
# Never fails: without Java, these tests are skipped or fail with a message.
java="${JAVA_HOME:+$JAVA_HOME/bin/}java"
version=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 17 ] && exit 0
install() { apt-get install -qq -y --no-install-recommends openjdk-17-jre-headless; }
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "Installing Java for the tests of Spark"
  if { install || { apt-get update -qq && install; }; } >/dev/null 2>&1; then
    exit 0
  fi
fi
echo "No Java 17 or newer here: Spark cannot start (apt-get install openjdk-17-jre-headless)"
exit 0
