/** Mounts a disk, as tests do. The mount disappears with the namespace. */
const TRY = 'mount -t tmpfs -o size=64k vitrine-test "$1"';

/**
 * Returns the prefix of a command that runs it in a mount namespace, where it can mount disks that are invisible
 * outside. If the user is not root, the prefix also makes it root there. Returns null if the system allows neither.
 */
export function mountNamespace(): readonly string[] | null {
  if (!Bun.which("unshare")) return null;
  const ways = [
    ["unshare", "--mount"],
    ["unshare", "--map-root-user", "--mount"],
  ];
  return ways.find((way) => Bun.spawnSync([...way, "sh", "-c", TRY, "sh", import.meta.dir]).success) ?? null;
}
