#!/usr/bin/env bash
# A container of Fargate on this machine: mounts and processes of its own (it is started by unshare), the root of the image read-only,
# two volumes that can be written, and the capabilities that the task definition leaves. Process 1, as the init that the template asks for.
# Usage: box.sh SCRATCH IMAGE_FOLDER NODE CA_BUNDLE AGENT_FOLDER PASSWD CAPABILITIES READ_ONLY WRITABLE,… PROGRAM [ARGUMENT]…; environment: NAME=VALUE\0 on fd 3
set -euo pipefail
scratch=$1 image=$2 node=$3 bundle=$4 agent=$5 passwd=$6 capabilities=$7 read_only=$8 writable=$9
shift 9
mount -t tmpfs -o mode=0755 tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
root="$scratch/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" "$root"
mkdir -p "$root/app" "$root/work" "$root/home/work" "$root/opt/demo" "$root/usr/local/bin"
cp "$image"/* "$root/app/"
cp "$agent"/*.ts "$root/opt/demo/"
chmod -R a+rX "$root/app" "$root/opt/demo"
chown 10001:10001 "$root/home/work"
touch "$root/opt/node"
mount --bind "$node" "$root/opt/node"
# The image's Node trusts the authority of this run, as the system of the image does.
rm -f "$root/usr/local/bin/node"
printf '#!/bin/sh\nexec /opt/node --use-system-ca "$@"\n' >"$root/usr/local/bin/node"
chmod 755 "$root/usr/local/bin/node"
mount --bind "$bundle" "$root/etc/ssl/certs/ca-certificates.crt"
mount --bind "$passwd" "$root/etc/passwd"
mount --bind /etc/hosts "$root/etc/hosts"
[ "$read_only" = true ] && mount -o remount,ro "$root"
IFS=,
for folder in $writable; do
  mode=0755
  [ "$folder" = /tmp ] && mode=1777
  mount -t tmpfs -o "mode=$mode" tmpfs "$root$folder"
done
unset IFS
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mapfile -d '' -t environment <&3
exec 3<&-
chroot "$root" setpriv "--bounding-set=$capabilities" --inh-caps=-all -- env -i -C /app "${environment[@]}" "$@" &
child=$!
trap 'kill -TERM "$child" 2>/dev/null || true' TERM
code=0
while kill -0 "$child" 2>/dev/null; do
  code=0
  wait "$child" || code=$?
done
exit "$code"
