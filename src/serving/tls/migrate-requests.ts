import { readFileSync, writeFileSync } from "node:fs";

const SETTING = "/proc/sys/net/ipv4/tcp_migrate_req";

/**
 * Lets the kernel move connections in a closing listener's queue to the others on the port (Linux 5.14). Without it a
 * rotation of certificates at full load resets a few of them. Returns whether it is active.
 */
export function migrateRequests(): boolean {
  try {
    if (readFileSync(SETTING, "utf8").trim() === "1") return true;
    writeFileSync(SETTING, "1");
    return true;
  } catch {
    return false;
  }
}
