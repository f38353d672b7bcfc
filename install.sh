#!/bin/sh
# Installs Vitrine as a systemd service, upgrades it and removes it. A second run changes nothing.
#   sudo ./install.sh --build | --binary FILE | --from URL
#   ./install.sh --help
set -eu
# Parent folders must be accessible to everyone, whatever the caller's umask is. Narrower modes are set below.
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
# Set once this run has replaced another version: only then can it be restored.
replaced=
# The folder for downloads.
downloads=

usage() {
  cat <<'HELP'
Installs Vitrine as a systemd service: its own user, /var/lib/vitrine for the data, /etc/vitrine/vitrine.toml for the
settings.

  --build             build the executable from this checkout (needs Node.js with npm)
  --binary FILE       install this executable; FILE.sha256 next to it is checked if it exists
  --from URL          download vitrine-linux-ARCH from a release's URL and check it against SHA256SUMS; https: or file:,
                      or http: with --sha256

  --sha256 HEX        the executable must have this SHA-256
  --upgrade           replace the executable; if the new version does not become healthy, restore the old one
  --rollback          restore the executable that the last upgrade replaced
  --uninstall         remove service and executable; keep data and settings
  --purge             with --uninstall: also remove data, settings and user
  --no-start          do not start or restart the service
  --root DIR          install below DIR, for images and tests: creates no user and starts no service;
                      / itself is refused
  --dry-run           print what would be done, and change nothing
HELP
}

main() {
  parse "$@"
  # Remove the download of 130 MB, however the script ends.
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
    install | upgrade) [ -n "$source_kind" ] || { usage >&2; wrong "give one of --build, --binary and --from"; } ;;
  esac
  [ "$source_kind" != release ] || is_safe "$source" || wrong "--from $source: give an https: URL, or also --sha256 HEX of the executable"
  [ -z "$purge" ] || [ "$action" = uninstall ] || wrong "--purge needs --uninstall"
  # With --root, nothing outside that folder is changed.
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

# Over plain HTTP, SHA256SUMS proves nothing: who changes the executable changes it as well.
is_safe() {
  case $1 in
    https://* | file://*) ;;
    *) [ -n "$sha256" ] ;;
  esac
}

# Makes the name a path: the shell would look a bare name up in PATH, and a leading dash would be an option.
path() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "./$1" ;;
  esac
}

# An empty root means the machine itself. --root must never select it.
root_folder() {
  [ "$(CDPATH='' cd -- "$1" 2>/dev/null && pwd -P)" != / ] || wrong "--root $1 is this machine itself: omit --root, or name another folder"
  printf '%s\n' "${1%/}"
}

# --- the four actions ---

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
    say "Remaining steps in $root: create the system user $SERVICE_USER, chown root:$SERVICE_USER $CONFIG_DIR/vitrine.toml, systemctl enable vitrine"
    return
  fi
  booted || say "systemd does not run here, as in an image or a chroot: the service starts with the next boot."
  say "To create the first account once the service runs: sudo $PROGRAM users add LOGIN"
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
  [ -z "$start" ] || [ -n "$dry_run" ] || ! booted || restart_healthy || fail "the service does not become healthy: see journalctl -u vitrine.$(database_hint)"
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
  finish "Uninstalled. Data, settings and user were removed."
}

# --- the executable ---

# Sets `executable` to the path of a verified executable that runs on this machine.
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
  # A dry run builds no executable to check.
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

# A redirect to plain HTTP needs --sha256, too. wget has no option for that, so it follows none without --sha256.
fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --proto "=https,file${sha256:+,http}" -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null; then
    from=$1
    set -- -q -O "$2" "$1"
    [ -n "$sha256" ] || set -- --max-redirect=0 "$@"
    wget "$@" || fail "cannot download $from"
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
  # The musl loader prints its name on stderr and fails.
  if (ldd --version 2>&1 || true) | grep -qi musl; then echo -musl; fi
}

check_sum() {
  actual=$(sha256sum "$1" | cut -d ' ' -f 1)
  [ "$actual" = "$(printf '%s' "$2" | tr A-F a-f)" ] || fail "$1 has SHA-256 $actual instead of $2: it is damaged or not the expected file"
}

runs() {
  [ -x "$1" ] || fail "$1 is not executable: chmod +x $1"
  [ -e /proc/self ] || fail "there is no /proc here, and $1 does not run without it: mount -t proc proc /proc"
  "$1" version >/dev/null 2>&1 || fail "$1 does not run on this machine ($(uname -sm))$(hint)"
}

# The most common cause: Alpine has the C++ library in a separate package.
hint() {
  if [ -n "$(libc)" ] && ! ls /usr/lib/libstdc++.so.6 >/dev/null 2>&1; then echo ": apk add libstdc++"; fi
}

# Replaces the executable in one atomic step, and keeps the previous one next to it.
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
  # A unit belongs to its executable: a rollback restores both.
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
    fail "neither useradd nor adduser is here: create a system user $SERVICE_USER and run this again"
  fi
}

make_folders() {
  run mkdir -p "$root$DATA_DIR" "$root$CONFIG_DIR"
  run chmod 0700 "$root$DATA_DIR"
  # The service reads its settings as its own user, so the folder must be readable.
  run chmod 0755 "$root$CONFIG_DIR"
  own "$root$DATA_DIR" "$SERVICE_USER:$SERVICE_USER"
}

own() {
  if [ -z "$root" ]; then run chown "$2" "$1"; fi
}

# put FILE MODE OWNER CONTENT: writes what the function CONTENT prints, unless the file already has that content.
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

# The same, but never changes an existing file: it belongs to the operator.
put_new() {
  [ -e "$root$1" ] || put "$@"
}

settings() {
  cat <<'TOML'
# Settings of Vitrine. `vitrine help serve` lists them all; `vitrine doctor` checks them.
# After a change: systemctl restart vitrine

data-dir = "/var/lib/vitrine"

# The URL of the dashboard and the API. Sites are subdomains of its host, such as SITE.pages.example.org:
# DNS needs a record for the name itself and one for *.NAME.
#base-url = "https://pages.example.org"

# Certificates from an ACME CA; ports 80 and 443 must be reachable. Leave it off behind a web server that ends TLS.
# The sites' certificate is a wildcard, which needs DNS: the record `_acme-challenge.NAME NS NAME`, and port 53.
#tls = "acme"
#acme-email = "you@example.org"
#dns-listen = "203.0.113.7:53"

# This machine's public addresses. They enable custom domains for sites.
#routing-targets = "A:203.0.113.7,AAAA:2001:db8::7"
TOML
}

unit() {
  cat <<'UNIT'
[Unit]
Description=Vitrine server for static websites
After=network-online.target
Wants=network-online.target

[Service]
# Vitrine notifies systemd when it serves and while all its threads respond. If one hangs, systemd restarts it.
Type=notify
NotifyAccess=main
WatchdogSec=60
# SIGKILL loses no data and writes no core file, which would contain keys.
WatchdogSignal=SIGKILL
# Copying and migrating a large database takes time.
TimeoutStartSec=15min
# Collect garbage as on a small machine: half the memory, at the same speed.
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
# MemoryDenyWriteExecute stays off: the JavaScript engine compiles code at run time.

[Install]
WantedBy=multi-user.target
UNIT
}

kernel_settings() {
  cat <<'CONF'
# Connections that wait while a new listener replaces the old one move to the new one (Linux 5.14).
-net.ipv4.tcp_migrate_req = 1
CONF
}

# --- the service ---

require_systemd() {
  [ "$(uname -s)" = Linux ] || fail "install.sh needs Linux; on other systems, run the executable: vitrine serve"
  [ -n "$root$dry_run" ] || command -v systemctl >/dev/null || fail "systemd is not installed: run vitrine serve with another service manager"
}

activate() {
  [ -z "$root" ] || return 0
  # A container may not be allowed to change it. Then the host's setting applies.
  if booted && command -v sysctl >/dev/null; then run sysctl -q -p "$SYSCTL" 2>/dev/null || true; fi
  reload
  if [ -z "$start" ] || ! booted; then
    run systemctl enable vitrine.service
  elif [ -z "$replaced" ]; then
    run systemctl enable --now vitrine.service
  else
    # A service that already runs would continue with the previous version.
    run systemctl enable vitrine.service
    restart_or_go_back
    [ -n "$dry_run" ] || say "The service was restarted, and it is healthy."
  fi
}

say_what_runs_on() {
  if [ -n "$root$start" ] || [ -z "$replaced" ] || ! booted; then return; fi
  say "A running service keeps the previous version until: systemctl restart vitrine"
}

reload() {
  [ -n "$root" ] || ! booted || run systemctl daemon-reload
}

# Whether systemd runs, checked as sd_booted(3) does. In an image, a chroot or a container it may only be installed.
booted() {
  [ -d /run/systemd/system ]
}

restart_healthy() {
  systemctl daemon-reload
  systemctl restart vitrine.service || return 1
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    # As the service's user: root would create files that the service cannot write.
    if runuser -u "$SERVICE_USER" -- "$PROGRAM" doctor --config "$CONFIG_DIR/vitrine.toml" 2>/dev/null | grep -q 'server: is running and healthy'; then
      return 0
    fi
  done
  return 1
}

# Restarts the service with the new version. If it does not become healthy, restores the old one.
restart_or_go_back() {
  if [ -n "$dry_run" ]; then run systemctl restart vitrine.service; return; fi
  if restart_healthy; then return; fi
  [ -n "$replaced" ] || fail "the service does not become healthy. This version was already installed, so there is nothing to restore.
See journalctl -u vitrine."
  say "The new version does not become healthy. Restoring the old one."
  swap_back
  restart_healthy || fail "the old version is not healthy either: see journalctl -u vitrine.$(database_hint)"
  fail "not upgraded: see journalctl -u vitrine"
}

# After swap_back: names the copy of the database that the newer version made before it migrated it. The copy is never
# restored automatically: changes since the upgrade would be lost.
database_hint() {
  aside=$(find "$DATA_DIR"/vitrine.db.before-* -newer "$PROGRAM.previous" 2>/dev/null) || true
  cat <<HINT

If the log says that the database was made by a newer Vitrine: stop the service, move vitrine.db, vitrine.db-wal and
vitrine.db-shm in $DATA_DIR away, copy ${aside:-vitrine.db.before-N} to vitrine.db
(cp -p keeps its owner) and start the service. Changes since the upgrade are not in that copy.
HINT
}

# --- output ---

run() {
  if [ -n "$dry_run" ]; then say "would run: $*"; else "$@"; fi
}

# Prints the result.
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
