#!/usr/bin/env bash
# Runs a program as Fargate or Lambda would: own mounts and processes (unshare starts this script), a read-only root, volumes
# that can be written, and no capabilities but those that are left. This script is process 1, as the init of the template.
# Settings come in the environment:
#   SCRATCH       folder that this container's file systems are mounted in
#   IMAGE         root folder of a built image; / where none was built, with the rest of this list
#   APP           without an image: the folder of what the image would add to its base
#   NODE, PASSWD  without an image: the program of Node, and users as the image would have them
#   AGENT         folder with the demo's agent, which no image brings; empty: none
#   CA_BUNDLE     the authorities that this machine trusts
#   CAPABILITIES  for setpriv; SETPRIV has further options of it
#   READ_ONLY     true, or the root can be written
#   WRITABLE      paths of the volumes, with commas between them
#   WORKDIR       where the program starts
# Arguments: the program and its arguments. Environment of the program: NAME=VALUE\0 on fd 3. Fd 4 is the program's.
set -euo pipefail
mount -t tmpfs -o mode=0755 tmpfs "$SCRATCH"
mkdir "$SCRATCH/upper" "$SCRATCH/work" "$SCRATCH/root"
root="$SCRATCH/root"
mount -t overlay overlay -o "lowerdir=$IMAGE,upperdir=$SCRATCH/upper,workdir=$SCRATCH/work" "$root"
if [ "$IMAGE" = / ]; then
  mkdir -p "$root/app" "$root/work" "$root/home/work" "$root/usr/local/bin"
  cp "$APP"/* "$root/app/"
  chmod -R a+rX "$root/app"
  chown 10001:10001 "$root/home/work"
  touch "$root/opt/node"
  mount --bind "$NODE" "$root/opt/node"
  rm -f "$root/usr/local/bin/node"
  printf '#!/bin/sh\nexec /opt/node --use-system-ca "$@"\n' >"$root/usr/local/bin/node"
  chmod 755 "$root/usr/local/bin/node"
  mount --bind "$PASSWD" "$root/etc/passwd"
fi
if [ -n "$AGENT" ]; then
  mkdir -p "$root/opt/demo"
  cp "$AGENT"/*.ts "$root/opt/demo/"
  chmod -R a+rX "$root/opt/demo"
fi
mkdir -p "$root/etc/ssl/certs"
touch "$root/etc/ssl/certs/ca-certificates.crt" "$root/etc/hosts"
mount --bind "$CA_BUNDLE" "$root/etc/ssl/certs/ca-certificates.crt"
mount --bind /etc/hosts "$root/etc/hosts"
[ "$READ_ONLY" = true ] && mount -o remount,ro "$root"
IFS=,
for folder in $WRITABLE; do
  # A volume begins as the folder is in the image.
  mode=$(stat --format %a "$root$folder")
  mount -t tmpfs -o "mode=$mode" tmpfs "$root$folder"
done
unset IFS
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir -m 1777 "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mapfile -d '' -t environment <&3
exec 3<&-
read -r -a options <<<"${SETPRIV:-}"
chroot "$root" setpriv "--bounding-set=$CAPABILITIES" --inh-caps=-all "${options[@]}" -- \
  env -i -C "$WORKDIR" "${environment[@]}" "$@" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null || true' TERM
code=0
while kill -0 "$child" 2>/dev/null; do
  code=0
  wait "$child" || code=$?
done
exit "$code"
