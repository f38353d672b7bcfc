import { diskFull } from "../domain/disk-error.ts";
import { diskSpace } from "./disk-space.ts";

/** Throws where there is no space for so many further bytes. */
export type EnsureSpace = (bytes: number) => void;

/** Free space is looked at again after so many bytes. */
const SPACE_CHECK_BYTES = 1024 * 1024;

/** Returns a check that throws `disk_full` when so many further bytes would eat into the reserve of the folder's disk. */
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
