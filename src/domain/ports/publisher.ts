import type { Room } from "../model/quota.ts";
import type { PublicationResult, StartedPermit } from "./store/deployments.ts";

/** Publishes uploads on separate threads, so that they do not delay visitors. */
export interface Publisher {
  /**
   * Validates the whole archive, a file on disk, before inflating anything; then stores the content of its files
   * durably; then publishes them under the permit in one transaction. Throws `invalid` with the entry and the problem,
   * `limit_exceeded` if the declared sizes exceed the limits or the remaining quota in `room`
   * (null for no quota), `disk_full`, or `unavailable` while too many uploads wait. The sweep deletes what a
   * refused archive leaves. The archive file belongs to the caller, and is not read any more once
   * the promise has settled.
   */
  publish(archive: string, permit: StartedPermit, room: Room | null): Promise<PublicationResult>;
}
