#!/usr/bin/env bash
# Starts Ceph's S3 server with one disk, a sparse file below DIR. DIR/pids lists what to end.
#   start-ceph.sh DIR PORT [ADDRESS]    user v, access key "test", secret key "testsecret"
# Takes PORT of ADDRESS for S3; PORT+1 for the monitor and PORT+10 to PORT+50 for the disk, on 127.0.0.1.
set -e
[ -n "$1" ] && [ -n "$2" ] || exit 2
R=$(realpath -m "$1")
PORT=$2
ADDRESS=${3:-127.0.0.1}
mkdir -p "$R"/{mon,osd,rgw,log}
: >"$R/pids"
end_all() { if [ -s "$R/pids" ]; then xargs kill <"$R/pids" 2>/dev/null || true; fi; }
trap '[ $? = 0 ] || end_all' EXIT

up() {
  for _ in {1..600}; do
    if "${@:2}" >/dev/null 2>&1; then return; fi
    sleep .2
  done
  echo "$1 is not up: see $R/log" >&2
  exit 1
}
C=(-c "$R/ceph.conf")
# Ceph's command needs a second of CPU time to start, which is half a minute on a busy machine.
ask() { timeout 60 ceph "${C[@]}" "$@"; }
osd_up() { ask osd stat | grep -q '1 up'; }

FSID=$(cat /proc/sys/kernel/random/uuid)
cat >"$R/ceph.conf" <<X
[global]
fsid=$FSID
mon host=v2:127.0.0.1:$((PORT + 1))
keyring=$R/keyring
run dir=$R
admin socket=$R/\$name.asok
log file=$R/log/\$name.log
osd pool default size=1
osd pool default min size=1
osd pool default pg num=1
osd pool default pg autoscale mode=off
osd crush chooseleaf type=0
mon allow pool size one=true
mon max pg per osd=1000
[mon.a]
mon data=$R/mon
[osd.0]
osd data=$R/osd
public addr=127.0.0.1
cluster addr=127.0.0.1
bluestore block size=6442450944
osd memory target=939524096
ms bind port min=$((PORT + 10))
ms bind port max=$((PORT + 50))
[client.rgw.a]
rgw data=$R/rgw
rgw frontends=beast endpoint=$ADDRESS:$PORT tcp_nodelay=1
X

key() { ceph-authtool "$R/keyring" --gen-key "$@" >/dev/null; }
key -C -n mon. --cap mon 'allow *'
key -n client.admin --cap mon 'allow *' --cap osd 'allow *'
key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
key -n client.rgw.a --cap mon 'allow rw' --cap osd 'allow rwx'

monmaptool --create --fsid "$FSID" --addv a "[v2:127.0.0.1:$((PORT + 1))]" "$R/monmap" >/dev/null
ceph-mon "${C[@]}" --mkfs -i a --monmap "$R/monmap" --keyring "$R/keyring"
ceph-mon "${C[@]}" -i a -f >"$R/log/mon" 2>&1 &
echo $! >>"$R/pids"
up ceph-mon ask -s

OSD=$(cat /proc/sys/kernel/random/uuid)
ceph "${C[@]}" osd new "$OSD" 0 >/dev/null
ceph-osd "${C[@]}" -i 0 --mkfs --osd-uuid "$OSD" 2>"$R/log/mkfs"
ceph "${C[@]}" osd crush add osd.0 1.0 host=h root=default 2>/dev/null
ceph-osd "${C[@]}" -i 0 -f >"$R/log/osd" 2>&1 &
echo $! >>"$R/pids"
up ceph-osd osd_up

user=(user create --uid=v --display-name=v --access-key=test --secret-key=testsecret)
if ! timeout 120 radosgw-admin "${C[@]}" -n client.rgw.a "${user[@]}" >"$R/log/user" 2>&1; then
  echo "no user: see $R/log/user" >&2
  exit 1
fi
radosgw "${C[@]}" -n client.rgw.a -f >"$R/log/rgw" 2>&1 &
echo $! >>"$R/pids"
up radosgw bash -c "exec 3<>/dev/tcp/$ADDRESS/$PORT"
