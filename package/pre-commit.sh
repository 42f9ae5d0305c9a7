#!/bin/sh
# Runs in the repository that is committed to; what it is made of lies where this file does.
set -eu
home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
if [ ! -d "$home/node_modules" ]; then npm ci --omit=dev --loglevel=error --prefix "$home" >&2; fi
PATH="$home/node_modules/.bin:$PATH" exec node "$home/cli/assay.js" check --repo . --base HEAD "$@"
