#!/usr/bin/env bash
# serve.sh [--rounds N] [--seconds N] [--save]: sets up the service that is the peer of
# `tensorio serve`, and measures both. Needs wrk, and what setup.sh needs.
set -euo pipefail
peers=$(cd "$(dirname "$0")" && pwd)
built=$(cd "$peers/.." && pwd)/.peers

command -v wrk >/dev/null || { echo "wrk is needed: apt-get install wrk" >&2; exit 1; }
if ! cmp --silent "$peers/serve-requirements.txt" "$built/serve/installed.txt"; then
  echo "Installing the service's pinned packages …" >&2
  rm -rf "$built/serve"
  python3 -m venv "$built/serve"
  "$built/serve/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
    --requirement "$peers/serve-requirements.txt"
  cp "$peers/serve-requirements.txt" "$built/serve/installed.txt"
fi
exec python3 "$peers/serve.py" "$@"
