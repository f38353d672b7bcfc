/** A disk is mounted, as tests do, and gone with the namespace. */
const TRY = 'mount -t tmpfs -o size=64k vitrine-test "$1"';

/**
 * Returns the command that goes before another to run it where it may mount disks that nobody else sees: in a mount
 * namespace, as root there where the user is not. Returns null where the system allows neither.
 */
export function mountNamespace(): readonly string[] | null {
  if (!Bun.which("unshare")) return null;
  const ways = [
    ["unshare", "--mount"],
    ["unshare", "--map-root-user", "--mount"],
  ];
  return ways.find((way) => Bun.spawnSync([...way, "sh", "-c", TRY, "sh", import.meta.dir]).success) ?? null;
}
