import type { Account } from "../../api/types.ts";
import { count } from "../../format.ts";

/** Says what freezing a person takes off the air. */
export function freezeWarning({ login, sites }: Pick<Account, "login" | "sites">): string {
  const signedOut = `${login} can no longer sign in or deploy`;
  if (sites === 0) return `${signedOut}. They own no sites.`;
  return `${signedOut}, and ${count(sites, "site")} of theirs ${sites === 1 ? "goes" : "go"} offline at once.`;
}
