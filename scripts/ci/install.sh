#!/usr/bin/env bash
# Puts vitrine on the PATH of the job's next steps: from the release at $FROM, checked against $SHA256 or the release's
# SHA256SUMS. Without $FROM, deploy.sh uses the runner's own vitrine or the server's.
set -euo pipefail

fail() {
  echo "::error::$1" >&2
  exit 1
}

if [ -z "$FROM" ]; then exit 0; fi

system() {
  case $(uname -s) in
    Linux) echo linux ;;
    Darwin) echo darwin ;;
    *) fail "there is no build for $(uname -s)" ;;
  esac
}

architecture() {
  case $(uname -m) in
    x86_64 | amd64) echo x64 ;;
    aarch64 | arm64) echo arm64 ;;
    *) fail "there is no build for $(uname -m)" ;;
  esac
}

library() {
  # The musl loader prints its name on stderr and fails.
  if [ "$(uname -s)" = Linux ] && (ldd --version 2>&1 || true) | grep -qi musl; then echo -musl; fi
}

# Over plain HTTP, SHA256SUMS proves nothing: who changes the executable changes it as well. Also after a redirect.
protocols="=https,file${SHA256:+,http}"
case $FROM in
  https://* | file://*) ;;
  *) [ -n "$SHA256" ] || fail "set 'from' to an https: URL, or also set 'sha256'" ;;
esac

fetch() {
  curl --fail --silent --show-error --location --proto "$protocols" --retry 2 --output "$2" "$1" ||
    fail "cannot download $1"
}

digest() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum --algorithm 256 "$1"; fi | cut -d ' ' -f 1
}

system=$(system)
architecture=$(architecture)
name=vitrine-$system-$architecture$(library)
folder="$RUNNER_TEMP/vitrine"
mkdir -p "$folder"
fetch "${FROM%/}/$name" "$folder/download"
expected=$SHA256
if [ -z "$expected" ]; then
  fetch "${FROM%/}/SHA256SUMS" "$folder/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-fA-F]\{64\}\)  *\*\{0,1\}$name\$/\1/p" "$folder/SHA256SUMS")
  [ -n "$expected" ] || fail "$FROM/SHA256SUMS does not name $name"
fi
actual=$(digest "$folder/download")
[ "$actual" = "$(printf %s "$expected" | tr A-F a-f)" ] ||
  fail "the SHA-256 of $name is $actual, and not $expected: it was not installed"
chmod +x "$folder/download"
mv "$folder/download" "$folder/vitrine"
echo "$folder" >>"$GITHUB_PATH"
