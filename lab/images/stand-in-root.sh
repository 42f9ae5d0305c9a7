#!/usr/bin/env bash
# Fills the root file system of a stand-in for an official base image from Debian's archive, the npm registry and the
# toolchains of this machine. A stand-in has what the official image has and no more: extra tools would hide a fault.
# Usage: stand-in-root.sh node ROOT NODE_PROGRAM SUITE
#        stand-in-root.sh golang|rust ROOT VERSION
#        stand-in-root.sh lambda ROOT
set -euo pipefail
kind=$1 root=$2

from_npm() { # NAME VERSION: a package of npm's own, as the installer of Node would place it
  local packed target="$root/usr/local/lib/node_modules/$1"
  packed=$(mktemp -d)
  npm pack --silent --pack-destination "$packed" "$1@$2" >/dev/null
  mkdir -p "$target"
  tar --extract --gzip --file "$packed"/*.tgz --directory "$target" --strip-components=1 --no-same-owner
  rm -rf "$packed"
}

case $kind in
node)
  program=$3 suite=$4
  debootstrap --variant=minbase "$suite" "$root" http://deb.debian.org/debian
  printf 'deb http://deb.debian.org/debian %s main\n' "$suite" "$suite-updates" >"$root/etc/apt/sources.list"
  printf 'deb http://deb.debian.org/debian-security %s main\n' "$suite-security" >>"$root/etc/apt/sources.list"
  printf 'APT::Install-Suggests "false";\nAPT::Keep-Downloaded-Packages "false";\n' >"$root/etc/apt/apt.conf.d/90image"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  install -m 0755 "$program" "$root/usr/local/bin/node"
  from_npm npm 11.21.2
  from_npm corepack 0.34.7
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  ln -s ../lib/node_modules/corepack/dist/corepack.js "$root/usr/local/bin/corepack"
  chroot "$root" groupadd --gid 1000 node
  chroot "$root" useradd --uid 1000 --gid node --shell /bin/bash --create-home node
  # Registries are reached through the authorities that this machine trusts. Node has its own list.
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || install -m 0644 /etc/ssl/certs/ca-certificates.crt "$root/usr/local/share/host-ca.crt"
  ;;
golang)
  toolchain=$(GOTOOLCHAIN="go$3" go env GOROOT)
  mkdir -p "$root/usr/local/go"
  tar --create --directory "$toolchain" --exclude ./test . | tar --extract --directory "$root/usr/local/go" --no-same-owner
  chmod -R u+w "$root/usr/local/go"
  ;;
rust)
  toolchain=$(RUSTUP_AUTO_INSTALL=0 rustc "+$3" --print sysroot)
  name=$(basename "$toolchain")
  target="$root/usr/local/rustup/toolchains/$name"
  mkdir -p "$target" "$root/usr/local/cargo/bin" "$root/opt/rust-components/clippy" "$root/opt/rust-components/rustfmt"
  # The minimal profile: clippy and rustfmt are components that a Dockerfile has to add.
  tar --create --directory "$toolchain" --exclude ./share --exclude './lib/rustlib/src' --exclude './bin/*clippy*' \
    --exclude './bin/*fmt' . | tar --extract --directory "$target" --no-same-owner
  cp -p "$toolchain"/bin/*clippy* "$root/opt/rust-components/clippy/"
  cp -p "$toolchain"/bin/*fmt "$root/opt/rust-components/rustfmt/"
  # Proxies of rustup choose the toolchain by the name that they are called by.
  for proxy in cargo rustc rustdoc cargo-clippy clippy-driver cargo-fmt rustfmt; do
    install -m 0755 "$(command -v rustup)" "$root/usr/local/cargo/bin/$proxy"
  done
  printf 'default_toolchain = "%s"\nprofile = "minimal"\nversion = "12"\n' "$name" >"$root/usr/local/rustup/settings.toml"
  # rustup itself downloads components from a server that may be out of reach; this one takes those of this machine.
  cat >"$root/usr/local/cargo/bin/rustup" <<SCRIPT
#!/bin/sh
set -eu
[ "\$1 \$2" = 'component add' ] || { echo "the stand-in of rustup only adds components" >&2; exit 1; }
shift 2
for name; do cp -p "/opt/rust-components/\$name"/* "/usr/local/rustup/toolchains/$name/bin/"; done
SCRIPT
  chmod 755 "$root/usr/local/cargo/bin/rustup"
  ;;
lambda)
  mkdir -p "$root/var/lang/bin" "$root/var/lang/lib" "$root/var/task" "$root/var/runtime"
  mv "$root/usr/local/bin/node" "$root/var/lang/bin/node"
  mv "$root/usr/local/lib/node_modules" "$root/var/lang/lib/node_modules"
  rm -f "$root"/usr/local/bin/{npm,npx,corepack}
  # Amazon Linux has dnf. The packages that a Dockerfile names are Debian's here, under Debian's names.
  cat >"$root/usr/bin/dnf" <<'SCRIPT'
#!/bin/sh
set -eu
case $1 in
upgrade) apt-get update && apt-get upgrade -y ;;
install)
  shift 2
  for name; do
    case $name in git-core) name=git ;; esac
    apt-get install -y --no-install-recommends "$name"
  done
  ;;
clean) rm -rf /var/lib/apt/lists/* ;;
*) echo "dnf $1 is not known to the stand-in" >&2; exit 1 ;;
esac
SCRIPT
  chmod 755 "$root/usr/bin/dnf"
  ;;
esac
