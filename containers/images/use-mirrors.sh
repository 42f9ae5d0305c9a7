# shellcheck shell=sh
# Sourced in a build of an image before packages are installed. Points package managers at the mirrors that the build
# arguments DEBIAN_MIRROR, NPM_REGISTRY and PIP_INDEX_URL name, for the build and for containers of the image. Lets them
# trust the authorities in private-ca.pem, which lies beside this file where the deployment has some (assay:caFile).
private_ca=/opt/build/private-ca.pem
if [ -f "$private_ca" ]; then
  # ca-certificates adds what lies here to the system's bundle when it is installed or updated.
  mkdir -p /usr/local/share/ca-certificates
  cp "$private_ca" /usr/local/share/ca-certificates/assay-private-ca.crt
  # Node and pip have lists of their own.
  export NODE_EXTRA_CA_CERTS="$private_ca" PIP_CERT="$private_ca"
fi
if [ -n "${DEBIAN_MIRROR:-}" ]; then
  # The security archive of a mirror lies beside its main archive.
  for sources in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ ! -f "$sources" ] || sed -i -E "s#https?://[^ ]+/debian(-security)?(/| |\$)#${DEBIAN_MIRROR%/}\\1\\2#" "$sources"
  done
  # The system has no bundle before ca-certificates is installed.
  [ ! -f "$private_ca" ] || printf 'Acquire::https::CAInfo "%s";\n' "$private_ca" >/etc/apt/apt.conf.d/90private-ca
fi
if [ -n "${NPM_REGISTRY:-}" ]; then
  mkdir -p /usr/local/etc
  printf 'registry=%s\n' "$NPM_REGISTRY" >/usr/local/etc/npmrc
  # npm does not read that file where npm_config_prefix is set, as it is for setup lines; it always reads its built-in file.
  [ ! -d /usr/local/lib/node_modules/npm ] ||
    printf 'registry=%s\n' "$NPM_REGISTRY" >>/usr/local/lib/node_modules/npm/npmrc
fi
[ -z "${PIP_INDEX_URL:-}" ] || printf '[global]\nindex-url = %s\n' "$PIP_INDEX_URL" >/etc/pip.conf
