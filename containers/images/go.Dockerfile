# Go, with a C compiler for cgo.
FROM golang:1.26.8-trixie AS go
FROM node:24.21.0-trixie-slim AS toolchain
ARG DEBIAN_MIRROR=
COPY use-mirrors.sh private-ca.pe[m] /opt/build/
RUN . /opt/build/use-mirrors.sh \
 && apt-get update \
 && apt-get install -y --no-install-recommends build-essential pkg-config \
 && rm -rf /var/lib/apt/lists/*
COPY --from=go /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
RUN go version && cc --version && make --version
