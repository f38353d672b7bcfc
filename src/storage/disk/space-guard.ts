import { diskFull } from "../../domain/disk-error.ts";
import { diskSpace } from "./disk-space.ts";

/** Throws if there is no space for these further bytes. */
export type EnsureSpace = (bytes: number) => void;

/** Free space is checked again after this many bytes. */
const SPACE_CHECK_BYTES = 1024 * 1024;

/** Returns a check that throws `disk_full` if these further bytes would use the reserve of the folder's disk. */
export function spaceGuard(folder: string): EnsureSpace {
  let unchecked = 0;
  return (bytes) => {
    unchecked -= bytes;
    if (unchecked >= 0) return;
    unchecked = 0;
    const { free, reserve } = diskSpace(folder);
    const left = free - bytes - reserve;
    if (left < 0) throw diskFull();
    unchecked = Math.min(SPACE_CHECK_BYTES, left);
  };
}
