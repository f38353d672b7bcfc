import type { LookingPorts } from "../../app/operator.ts";
import { type Quota, quotaInForce, type Room } from "../../domain/accounts/quota.ts";
import type { User } from "../../domain/accounts/user.ts";

/** Returns the limits that hold for a person, and what of them is in use. */
export async function roomOf({ store }: Pick<LookingPorts, "store">, user: User, standard: Quota): Promise<Room> {
  const quota = quotaInForce(standard, await store.quotas.own(user.id));
  return { quota, usage: await store.quotas.usage(user.id) };
}

/** What a person has and may have, as commands print it; null is no limit. */
export function roomJson({ quota, usage }: Room) {
  return { sites: usage.sites, bytes: usage.bytes, max_sites: quota.sites, max_bytes: quota.bytes };
}
