# Node, with what native addons are built by, and a browser for pictures of what was built.
FROM node:24.21.0-trixie-slim AS toolchain
ARG DEBIAN_MIRROR=
COPY use-mirrors.sh private-ca.pe[m] /opt/build/
RUN . /opt/build/use-mirrors.sh \
 && apt-get update \
 && apt-get install -y --no-install-recommends build-essential python3 pkg-config chromium fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
RUN node --version && npm --version && cc --version && make --version && chromium --version
