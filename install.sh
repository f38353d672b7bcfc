#!/bin/sh
# Installs Vitrine as a systemd service, upgrades it and takes it away again. Run it twice and nothing changes.
#   sudo ./install.sh --build | --binary FILE | --from URL
#   ./install.sh --help
set -eu
# Folders on the way are for everybody to pass, whoever calls this; what is to be narrower is made so below.
umask 022

PROGRAM=/usr/local/bin/vitrine
CONFIG_DIR=/etc/vitrine
DATA_DIR=/var/lib/vitrine
UNIT=/etc/systemd/system/vitrine.service
SYSCTL=/etc/sysctl.d/60-vitrine.conf
SERVICE_USER=vitrine

action=install
source_kind=
source=
sha256=
root=
dry_run=
purge=
start=yes
# Set once another version made room: only then is there something to take back.
replaced=
# The folder of what is downloaded.
downloads=

usage() {
  cat <<'HELP'
Installs Vitrine as a systemd service: its own user, /var/lib/vitrine for the data, /etc/vitrine/vitrine.toml for the
settings.

  --build             build the executable from this checkout (needs Node.js with npm)
  --binary FILE       take this executable; FILE.sha256 beside it is checked where it exists
  --from URL          take vitrine-linux-ARCH from a release's address, checked against its SHA256SUMS

  --sha256 HEX        the executable must have this SHA-256
  --upgrade           replace the executable; if the new one does not get healthy, the old one comes back
  --rollback          bring back the executable that the last upgrade replaced
  --uninstall         take service and executable away; data and settings stay
  --purge             with --uninstall: data, settings and user go too
  --no-start          neither start the service nor restart it
  --root DIR          install below DIR, for images and tests: no user is made and no service is started;
                      / itself is refused
  --dry-run           say what would be done, and do nothing
HELP
}

main() {
  parse "$@"
  # However this ends, 130 MB are not left behind.
  trap '[ -z "$downloads" ] || rm -rf "$downloads"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  case $action in
    install) install_all ;;
    upgrade) upgrade ;;
    rollback) rollback ;;
    uninstall) uninstall ;;
  esac
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --build) only_source build ;;
      --binary) value "$@"; only_source binary; source=$(path "$2"); shift ;;
      --from) value "$@"; only_source release; source=${2%/}; shift ;;
      --sha256) value "$@"; sha256=$2; shift ;;
      --root) value "$@"; root=$(root_folder "$2"); shift ;;
      --upgrade) only_action upgrade ;;
      --rollback) only_action rollback ;;
      --uninstall) only_action uninstall ;;
      --purge) purge=yes ;;
      --no-start) start= ;;
      --dry-run) dry_run=yes ;;
      -h | --help) usage; exit 0 ;;
      *) usage >&2; wrong "unknown option: $1" ;;
    esac
    shift
  done
  case $action in
    install | upgrade) [ -n "$source_kind" ] || { usage >&2; wrong "say where the executable comes from"; } ;;
  esac
  [ -z "$purge" ] || [ "$action" = uninstall ] || wrong "--purge goes with --uninstall"
  # Below a root of its own nothing of this machine is touched.
  [ -z "$root" ] || start=
  [ -n "$root$dry_run" ] || [ "$(id -u)" = 0 ] || fail "run this as root: sudo ./install.sh …"
}

value() {
  [ -n "${2-}" ] || wrong "$1 needs a value"
}

only_source() {
  [ "${source_kind:-$1}" = "$1" ] || wrong "give one of --build, --binary and --from"
  source_kind=$1
}

only_action() {
  [ "$action" = install ] || [ "$action" = "$1" ] || wrong "give one of --upgrade, --rollback and --uninstall"
  action=$1
}

# The file itself: a name without a slash would be looked for on PATH, one with a dash taken for an option.
path() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "./$1" ;;
  esac
}

# An empty root is the real machine, which nobody shall reach by way of --root.
root_folder() {
  [ "$(CDPATH='' cd -- "$1" 2>/dev/null && pwd -P)" != / ] || wrong "--root $1 is this machine itself: leave --root out, or name a folder"
  printf '%s\n' "${1%/}"
}

# --- the four things it does ---

install_all() {
  require_systemd
  obtain
  make_user
  put_program "$executable"
  make_folders
  put_new "$CONFIG_DIR/vitrine.toml" 0640 "root:$SERVICE_USER" settings
  put "$UNIT" 0644 root:root unit
  put "$SYSCTL" 0644 root:root kernel_settings
  activate
  finish "Installed $(installed_version). Settings: $CONFIG_DIR/vitrine.toml; data: $DATA_DIR"
  say_what_runs_on
  if [ -n "$root" ]; then
    say "Left to do in $root: make the system user $SERVICE_USER, chown root:$SERVICE_USER $CONFIG_DIR/vitrine.toml, systemctl enable vitrine"
    return
  fi
  booted || say "systemd does not run here, as in an image or a chroot: the service starts with the next boot."
  say "The first account, once the service runs: sudo $PROGRAM users add LOGIN"
}

upgrade() {
  [ -x "$root$PROGRAM" ] || fail "there is no $root$PROGRAM to upgrade: install it first, without --upgrade"
  obtain
  put_program "$executable"
  put "$UNIT" 0644 root:root unit
  put "$SYSCTL" 0644 root:root kernel_settings
  if [ -z "$start" ] || ! booted; then
    finish "Upgraded to $(installed_version)."
    say_what_runs_on
  else
    restart_or_go_back
    finish "Upgraded to $(installed_version), and it is healthy."
  fi
}

rollback() {
  [ -x "$root$PROGRAM.previous" ] || fail "there is no $root$PROGRAM.previous: nothing was upgraded"
  swap_back
  [ -z "$start" ] || [ -n "$dry_run" ] || ! booted || restart_healthy || fail "it does not get healthy: journalctl -u vitrine tells why.$(database_hint)"
  finish "Back at $(installed_version)."
}

uninstall() {
  if [ -z "$root" ] && [ -e "$UNIT" ] && command -v systemctl >/dev/null; then
    if booted; then run systemctl disable --now vitrine.service; else run systemctl disable vitrine.service; fi
  fi
  run rm -f "$root$UNIT" "$root$UNIT.previous" "$root$SYSCTL" "$root$PROGRAM" "$root$PROGRAM.previous"
  reload
  if [ -z "$purge" ]; then
    finish "Uninstalled. Kept: $root$DATA_DIR and $root$CONFIG_DIR (--purge removes them too)."
    return
  fi
  run rm -rf "$root$DATA_DIR" "$root$CONFIG_DIR"
  if [ -z "$root" ] && id "$SERVICE_USER" >/dev/null 2>&1; then run userdel "$SERVICE_USER"; fi
  finish "Uninstalled, with data, settings and user."
}

# --- the executable ---

# Sets `executable` to the path of one that is the right one and runs here.
obtain() {
  case $source_kind in
    build) executable=$(build) ;;
    binary) executable=$source; [ -f "$executable" ] || fail "there is no $executable" ;;
    release) downloads=$(mktemp -d); executable=$(download) ;;
  esac
  if [ -n "$sha256" ]; then check_sum "$executable" "$sha256"; fi
  if [ "$source_kind" = binary ] && [ -f "$executable.sha256" ]; then
    check_sum "$executable" "$(cut -d ' ' -f 1 <"$executable.sha256")"
  fi
  # A dry run builds nothing that could be tried.
  if [ -z "$dry_run" ] || [ -f "$executable" ]; then runs "$executable"; fi
}

build() {
  here=$(cd "$(dirname "$0")" && pwd)
  command -v npm >/dev/null || fail "--build needs Node.js with npm: install them, or give --binary or --from"
  [ -f "$here/package.json" ] || fail "--build needs a checkout: $here has no package.json"
  (cd "$here" && run npm run build >&2) || fail "the build failed, see above"
  printf '%s\n' "$here/dist/vitrine"
}

download() {
  name=vitrine-linux-$(architecture)$(libc)
  fetch "$source/$name" "$downloads/$name"
  fetch "$source/SHA256SUMS" "$downloads/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-fA-F]\{64\}\)  *\*\{0,1\}$name\$/\1/p" "$downloads/SHA256SUMS")
  [ -n "$expected" ] || fail "$source/SHA256SUMS does not name $name"
  check_sum "$downloads/$name" "$expected"
  chmod 0755 "$downloads/$name"
  printf '%s\n' "$downloads/$name"
}

fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --proto '=https,http,file' -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null; then
    wget -qO "$2" "$1" || fail "cannot download $1"
  else
    fail "--from needs curl or wget"
  fi
}

architecture() {
  case $(uname -m) in
    x86_64 | amd64) echo x64 ;;
    aarch64 | arm64) echo arm64 ;;
    *) fail "there is no build for $(uname -m): use --build" ;;
  esac
}

libc() {
  # The loader of musl says its name on stderr and fails.
  if (ldd --version 2>&1 || true) | grep -qi musl; then echo -musl; fi
}

check_sum() {
  actual=$(sha256sum "$1" | cut -d ' ' -f 1)
  [ "$actual" = "$(printf '%s' "$2" | tr A-F a-f)" ] || fail "$1 has SHA-256 $actual instead of $2: it is damaged, or not what it says"
}

runs() {
  [ -x "$1" ] || fail "$1 is not executable: chmod +x $1"
  [ -e /proc/self ] || fail "there is no /proc here, and $1 does not run without it: mount -t proc proc /proc"
  "$1" version >/dev/null 2>&1 || fail "$1 does not run on this machine ($(uname -sm))$(hint)"
}

# What is missing most often: Alpine has the C++ library in a package of its own.
hint() {
  if [ -n "$(libc)" ] && ! ls /usr/lib/libstdc++.so.6 >/dev/null 2>&1; then echo ": apk add libstdc++"; fi
}

# The new one appears whole, in one step, and the one before stays beside it.
put_program() {
  if [ -f "$root$PROGRAM" ] && cmp -s "$1" "$root$PROGRAM"; then
    say "$PROGRAM is this very version already."
    return
  fi
  run mkdir -p "$root$(dirname "$PROGRAM")"
  run install -m 0755 "$1" "$root$PROGRAM.new"
  if [ -f "$root$PROGRAM" ]; then
    run cp -p "$root$PROGRAM" "$root$PROGRAM.previous"
    replaced=yes
  fi
  # A unit fits its executable: they go back together.
  if [ -f "$root$UNIT" ]; then run cp -p "$root$UNIT" "$root$UNIT.previous"; fi
  run mv -f "$root$PROGRAM.new" "$root$PROGRAM"
}

swap_back() {
  swap "$root$PROGRAM"
  if [ -f "$root$UNIT.previous" ]; then swap "$root$UNIT"; fi
}

swap() {
  run cp -p "$1.previous" "$1.new"
  run mv -f "$1" "$1.previous"
  run mv -f "$1.new" "$1"
}

installed_version() {
  if [ -x "$root$PROGRAM" ]; then "$root$PROGRAM" version; else echo vitrine; fi
}

# --- user, folders, files ---

make_user() {
  if [ -n "$root" ] || id "$SERVICE_USER" >/dev/null 2>&1; then return; fi
  if command -v useradd >/dev/null; then
    run useradd --system --user-group --home-dir "$DATA_DIR" --no-create-home --shell /usr/sbin/nologin "$SERVICE_USER"
  elif command -v adduser >/dev/null; then
    run adduser -S -D -H -h "$DATA_DIR" -s /sbin/nologin "$SERVICE_USER"
  else
    fail "neither useradd nor adduser is here: make a system user $SERVICE_USER and run this again"
  fi
}

make_folders() {
  run mkdir -p "$root$DATA_DIR" "$root$CONFIG_DIR"
  run chmod 0700 "$root$DATA_DIR"
  # The service reads its settings as its own user.
  run chmod 0755 "$root$CONFIG_DIR"
  own "$root$DATA_DIR" "$SERVICE_USER:$SERVICE_USER"
}

own() {
  if [ -z "$root" ]; then run chown "$2" "$1"; fi
}

# put FILE MODE OWNER CONTENT: writes what the function CONTENT prints, unless it stands there already.
put() {
  if [ -f "$root$1" ] && [ "$("$4")" = "$(cat "$root$1")" ]; then return; fi
  if [ -n "$dry_run" ]; then
    say "would write $root$1"
    return
  fi
  mkdir -p "$root$(dirname "$1")"
  "$4" >"$root$1.new"
  chmod "$2" "$root$1.new"
  own "$root$1.new" "$3"
  mv -f "$root$1.new" "$root$1"
}

# The same for a file that belongs to the operator once it is there.
put_new() {
  [ -e "$root$1" ] || put "$@"
}

settings() {
  cat <<'TOML'
# Settings of Vitrine. `vitrine help serve` lists them all; `vitrine doctor` says what is wrong with them.
# After a change: systemctl restart vitrine

data-dir = "/var/lib/vitrine"

# The address of the dashboard and the API. Sites are found below its host, as SITE.pages.example.org:
# DNS needs a record for the name itself and one for *.NAME.
#base-url = "https://pages.example.org"

# Certificates by ACME; ports 80 and 443 must be reachable. Behind a web server that ends TLS: leave it off.
# The sites' certificate is a wildcard, which takes DNS: the record `_acme-challenge.NAME NS NAME`, and port 53.
#tls = "acme"
#acme-email = "you@example.org"
#dns-listen = "203.0.113.7:53"

# This machine's public addresses: with them, sites may have domains of their own.
#routing-targets = "A:203.0.113.7,AAAA:2001:db8::7"
TOML
}

unit() {
  cat <<'UNIT'
[Unit]
Description=Vitrine hosts static websites
After=network-online.target
Wants=network-online.target

[Service]
# It says itself when it serves, and that all its threads live; when one hangs, it is started anew.
Type=notify
NotifyAccess=main
WatchdogSec=60
# Killing it loses nothing, and a core file would hold keys.
WatchdogSignal=SIGKILL
# A large database takes its time to be copied and upgraded.
TimeoutStartSec=15min
# Collect garbage as on a small machine: half the memory at the same speed.
Environment=BUN_JSC_forceRAMSize=201326592 BUN_JSC_largeHeapGrowthFactor=1.4
Environment=BUN_JSC_minEdenToOldGenerationRatio=0.2 MIMALLOC_PURGE_HOLES_MIN_INTERVAL=1000
ExecStart=/usr/local/bin/vitrine serve --config /etc/vitrine/vitrine.toml
User=vitrine
Group=vitrine
Restart=always
RestartSec=1
# Running requests have 30 seconds to finish.
TimeoutStopSec=40
LimitNOFILE=65536
StateDirectory=vitrine
StateDirectoryMode=0700
UMask=0077

AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute stays off: the engine compiles JavaScript while it runs.

[Install]
WantedBy=multi-user.target
UNIT
}

kernel_settings() {
  cat <<'CONF'
# Connections that wait while the listener changes its certificates go on to the new one (Linux 5.14).
-net.ipv4.tcp_migrate_req = 1
CONF
}

# --- the service ---

require_systemd() {
  [ "$(uname -s)" = Linux ] || fail "this installs on Linux; elsewhere run the executable itself: vitrine serve"
  [ -n "$root$dry_run" ] || command -v systemctl >/dev/null || fail "there is no systemd here: run vitrine serve under what you have"
}

activate() {
  [ -z "$root" ] || return 0
  # A container may not change it: then the machine that it runs on decides.
  if booted && command -v sysctl >/dev/null; then run sysctl -q -p "$SYSCTL" 2>/dev/null || true; fi
  reload
  if [ -z "$start" ] || ! booted; then
    run systemctl enable vitrine.service
  elif [ -z "$replaced" ]; then
    run systemctl enable --now vitrine.service
  else
    # One that runs already would go on with the version before.
    run systemctl enable vitrine.service
    restart_or_go_back
    [ -n "$dry_run" ] || say "The service was restarted, and it is healthy."
  fi
}

say_what_runs_on() {
  if [ -n "$root$start" ] || [ -z "$replaced" ] || ! booted; then return; fi
  say "A service that runs goes on with the version before until: systemctl restart vitrine"
}

reload() {
  [ -n "$root" ] || ! booted || run systemctl daemon-reload
}

# Whether systemd runs; it may be installed without, in an image, a chroot or a container. What sd_booted(3) does.
booted() {
  [ -d /run/systemd/system ]
}

restart_healthy() {
  systemctl daemon-reload
  systemctl restart vitrine.service || return 1
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    # As the service's own user: root would leave files that the service cannot write.
    if runuser -u "$SERVICE_USER" -- "$PROGRAM" doctor --config "$CONFIG_DIR/vitrine.toml" 2>/dev/null | grep -q 'server: is running and healthy'; then
      return 0
    fi
  done
  return 1
}

# Restarts into what this run put there. What does not get healthy goes, and what it replaced comes back.
restart_or_go_back() {
  if [ -n "$dry_run" ]; then run systemctl restart vitrine.service; return; fi
  if restart_healthy; then return; fi
  [ -n "$replaced" ] || fail "the service does not get healthy. This version was installed already, so there is nothing to take back.
journalctl -u vitrine tells why."
  say "The new version does not get healthy: the old one comes back."
  swap_back
  restart_healthy || fail "the old version is not healthy either: journalctl -u vitrine tells why.$(database_hint)"
  fail "not upgraded; journalctl -u vitrine tells why"
}

# After swap_back: where the database is as it was before the newer version changed it, which set it aside once it was
# installed. Nothing is put back unasked: what was written since would be lost.
database_hint() {
  aside=$(find "$DATA_DIR"/vitrine.db.before-* -newer "$PROGRAM.previous" 2>/dev/null) || true
  cat <<HINT

If it says that the database was made by a newer Vitrine: stop the service, move vitrine.db, vitrine.db-wal and
vitrine.db-shm in $DATA_DIR away, copy ${aside:-vitrine.db.before-N} to vitrine.db
(cp -p keeps its owner) and start the service. What was written since the upgrade is not in that copy.
HINT
}

# --- words ---

run() {
  if [ -n "$dry_run" ]; then say "would run: $*"; else "$@"; fi
}

# Says how it ended.
finish() {
  if [ -n "$dry_run" ]; then
    say "A dry run: nothing was changed."
    exit 0
  fi
  say "$*"
}

say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "install.sh: $*"
  exit 1
}

wrong() {
  say "install.sh: $*"
  exit 2
}

main "$@"
