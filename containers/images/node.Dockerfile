# Node, with what native addons are built by.
FROM node:24.21.0-bookworm-slim AS toolchain
RUN apt-get update \
 && apt-get install -y --no-install-recommends build-essential python3 pkg-config \
 && rm -rf /var/lib/apt/lists/*
RUN node --version && npm --version && cc --version && make --version
