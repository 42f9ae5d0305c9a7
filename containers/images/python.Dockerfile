# Python 3.13 of Debian with pip, venv and what builds extension modules.
FROM node:24.21.0-trixie-slim AS toolchain
ARG DEBIAN_MIRROR=
COPY use-mirrors.sh private-ca.pe[m] /opt/build/
RUN . /opt/build/use-mirrors.sh \
 && apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-dev python3-pip python3-venv build-essential pkg-config \
 && rm -rf /var/lib/apt/lists/* \
 && ln -s python3 /usr/bin/python
RUN python --version && pip --version && cc --version && make --version
