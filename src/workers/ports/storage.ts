import { s3Objects } from "../../clients/s3/objects.ts";
import type { S3Options } from "../../clients/s3/send.ts";
import { shiftedClock } from "../../clients/system/clock.ts";
import type { Config } from "../../config/settings.ts";
import type { S3Destination } from "../../domain/backups/destination.ts";
import { DomainError } from "../../domain/errors.ts";
import type { ObjectStore } from "../../domain/ports/objects.ts";
import { SECOND } from "../../domain/timestamp.ts";
import {
  type ContentMeterSlots,
  ContentMeters,
  newContentMeterSlots,
} from "../../storage/content/s3/content-meters.ts";
import type { Bucket, SharedStorage, StorageOptions } from "../../storage/open.ts";
import { stderrLog } from "../log.ts";
import type { Shared } from "../shared.ts";

type Keys = Pick<Config, "s3AccessKeyId" | "s3SecretAccessKey">;

type StorageConfig = Keys & Pick<Config, "dataDir" | "database" | "content" | "contentCache">;

const MIB = 1024 * 1024;

/** A deployment whose files cannot be stored is refused while its user still waits. */
const FOR_CHANGES: S3Options = { deadline: 15 * SECOND, slowestRate: MIB / 4 };

/** The limits for content that a visitor waits for and that is not cached on this machine. */
const FOR_VISITORS: S3Options = { deadline: 5 * SECOND, slowestRate: MIB, attempts: 2 };

/** The data that a thread needs to open the storage. */
export type StorageTask = Pick<Shared, "config" | "storage" | "contentMeters" | "clockShift">;

interface ProcessParts {
  /** The state that the threads of a server share; absent for a command. */
  readonly shared?: SharedStorage;
  readonly meters?: ContentMeterSlots;
  readonly report?: (error: unknown) => void;
  /** See `Bucket`. */
  readonly now?: () => number;
}

/** Returns the locations of metadata and content for a thread of a server, with what the threads share. */
export function threadStorage({ config, storage, contentMeters, clockShift }: StorageTask): StorageOptions {
  const log = stderrLog(config.log, config.logLevel);
  const report = (error: unknown) => log.error("content cannot be cached", error);
  return storageOptions(config, { shared: storage, meters: contentMeters, report, ...shiftedClock(clockShift) });
}

/** Returns the locations of metadata and content in the settings. Throws `unavailable` if keys are missing. */
export function storageOptions(config: StorageConfig, parts: ProcessParts = {}): StorageOptions {
  const { dataDir, database, content } = config;
  const bucket = content === null ? null : contentBucket(content, config, parts);
  return { dataDir, ...parts.shared, database, bucket };
}

/** Returns the bucket for content. Nothing is opened or requested yet. Throws `unavailable` if keys are missing. */
export function contentBucket(
  destination: S3Destination,
  config: Keys & Pick<Config, "contentCache">,
  { meters: slots = newContentMeterSlots(), report = () => {}, now }: ProcessParts = {},
): Bucket {
  const meters = new ContentMeters(slots);
  const observe = (seconds: number, isFailed: boolean) => meters.requested(seconds, isFailed);
  return {
    objects: bucketObjects(destination, config, { ...FOR_CHANGES, observe }),
    forVisitors: bucketObjects(destination, config, { ...FOR_VISITORS, observe }),
    cacheBytes: config.contentCache,
    meters,
    report,
    ...(now && { now }),
  };
}

/** Returns the objects of a bucket. Throws `unavailable` without the keys. */
export function bucketObjects(
  destination: S3Destination,
  { s3AccessKeyId, s3SecretAccessKey }: Keys,
  options: S3Options = {},
): ObjectStore {
  if (s3AccessKeyId === null || s3SecretAccessKey === null) {
    throw new DomainError("unavailable", "set VITRINE_S3_ACCESS_KEY_ID and VITRINE_S3_SECRET_ACCESS_KEY");
  }
  return s3Objects(destination, { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey }, options);
}
