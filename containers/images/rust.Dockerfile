# Rust with cargo, clippy and rustfmt, and a linker.
FROM rust:1.95.0-slim-trixie AS rust
# The official image has the minimal profile.
RUN rustup component add clippy rustfmt
FROM node:24.21.0-trixie-slim AS toolchain
ARG DEBIAN_MIRROR=
COPY use-mirrors.sh private-ca.pe[m] /opt/build/
RUN . /opt/build/use-mirrors.sh \
 && apt-get update \
 && apt-get install -y --no-install-recommends build-essential pkg-config libssl-dev \
 && rm -rf /var/lib/apt/lists/*
COPY --from=rust /usr/local/rustup /usr/local/rustup
COPY --from=rust /usr/local/cargo /usr/local/cargo
ENV RUSTUP_HOME=/usr/local/rustup \
    PATH=/usr/local/cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
RUN cargo --version && rustc --version && cargo clippy --version && cargo fmt --version && cc --version && make --version
