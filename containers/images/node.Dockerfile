# Node, with what native addons are built by, and a browser for pictures of what was built.
FROM node:24.21.0-trixie-slim AS toolchain
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential python3 pkg-config chromium fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
RUN node --version && npm --version && cc --version && make --version && chromium --version
