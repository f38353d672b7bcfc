import { readFileSync, writeFileSync } from "node:fs";

const SETTING = "/proc/sys/net/ipv4/tcp_migrate_req";

/**
 * Lets the kernel move connections that wait in a closing listener's queue to the others on the port (Linux 5.14).
 * Without it a rotation of certificates at full load resets a handful of them. Returns whether it is in force.
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
