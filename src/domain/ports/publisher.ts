import type { Room } from "../accounts/quota.ts";
import type { Permit } from "../deployments/deploy.ts";
import type { PublicationResult } from "./store/deployments.ts";

/** Makes deployments of uploads, on threads of its own: an upload of any size never delays a visitor. */
export interface Publisher {
  /**
   * Judges the whole archive, a file on disk, before anything of it is inflated; then stores the content of its files,
   * durably; then publishes them under the permit, in one step. Throws `invalid` naming the entry and what is wrong with
   * it, `limit_exceeded` from the declared sizes, where they are over the limits or over what `room` has left for the
   * owner (null for as much as they like), `disk_full`, or `unavailable` while too many wait. Of a refused archive
   * nothing stays that a sweep does not remove. The archive itself belongs to the caller, and is no longer read once
   * this has settled.
   */
  publish(archive: string, permit: Permit, room: Room | null): Promise<PublicationResult>;
}
