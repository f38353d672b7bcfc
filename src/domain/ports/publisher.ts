import type { DeploymentOrigin } from "../model/deployment.ts";
import type { Room } from "../model/quota.ts";
import type { DeploymentCredential, Publication, PublicationResult, Requester } from "./store/deployments.ts";

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

/** A permit with the time since when the archive is unpacked. */
export type StartedPermit = Permit & Required<Pick<Publication, "startedAt">>;

/** A deployment that this caller may create, decided before the archive is read. */
export interface Permit {
  readonly siteName: string;
  readonly generated: boolean;
  readonly ownerId: number;
  /** The user for whom the credential acts. */
  readonly makerId: number;
  /** The only permitted site, for a caller who could not create it again; null for others. */
  readonly onlySiteId: number | null;
  readonly makePrivate: boolean;
  /**
   * True if the site was private. If its owner deletes it during the upload, it is created again with the same access.
   */
  readonly privateIfNew: boolean;
  readonly origin: DeploymentOrigin;
  readonly onlyIfChanged: boolean;
  readonly isPreview: boolean;
  /** True if the credential can neither activate a deployment nor change what a custom domain shows. */
  readonly onlyPreviews: boolean;
  readonly alias: string | null;
  readonly lifetime: number | null;
  readonly credential: DeploymentCredential;
  readonly actor: string;
  readonly requestedBy: Requester;
}
