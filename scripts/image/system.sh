#!/bin/sh
# What the executable needs of a system, from Debian's packages: the C library, the certificates of public CAs, time
# zones, and the user that it runs as. The packages are unpacked, not run, so they may be for another architecture.
#   sh scripts/image/system.sh amd64|arm64 FOLDER
set -eu
arch=$1 out=$2
user=65532
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$(id -u)" = 0 ]; then
  [ "$arch" = "$(dpkg --print-architecture)" ] || dpkg --add-architecture "$arch"
  apt-get update -qq
fi
mkdir "$work/packages" "$work/files"
# As root, apt would fetch as a user of its own, who may not write here.
(cd "$work/packages" && apt-get download -qq -o APT::Sandbox::User=root "libc6:$arch" ca-certificates tzdata)
for package in "$work"/packages/*.deb; do dpkg -x "$package" "$work/files"; done

rm -rf "$out"
mkdir -p "$out/etc/ssl/certs" "$out/usr/share/doc" "$out/data" "$out/tmp"
for folder in lib lib64; do [ ! -d "$work/files/$folder" ] || cp -R -P "$work/files/$folder" "$out/"; done
cp -R -P "$work/files/usr/share/zoneinfo" "$out/usr/share/"
rm -rf "$out/usr/share/zoneinfo/right" "$out/usr/share/zoneinfo/posix"
cat "$work"/files/usr/share/ca-certificates/mozilla/*.crt >"$out/etc/ssl/certs/ca-certificates.crt"
for package in libc6 ca-certificates tzdata; do
  mkdir "$out/usr/share/doc/$package"
  cp "$work/files/usr/share/doc/$package/copyright" "$out/usr/share/doc/$package/"
done
echo "vitrine:x:$user:$user:Vitrine:/data:/sbin/nologin" >"$out/etc/passwd"
echo "vitrine:x:$user:" >"$out/etc/group"
echo "hosts: files dns" >"$out/etc/nsswitch.conf"
chmod 1777 "$out/tmp"
chmod 700 "$out/data"
[ "$(id -u)" != 0 ] || chown "$user:$user" "$out/data"
