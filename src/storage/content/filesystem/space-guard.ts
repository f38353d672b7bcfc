import { diskFull } from "../../disk-error.ts";
import { diskSpace } from "../../disk-space.ts";

/** Throws where there is no space for so many further bytes. */
export type EnsureSpace = (bytes: number) => void;

/** Free space is looked at again after so many bytes. */
const SPACE_CHECK_BYTES = 1024 * 1024;

/** Returns a check that throws `disk_full` when so many further bytes would eat into the reserve. */
export function spaceGuard(root: string): EnsureSpace {
  let sinceCheck = Number.POSITIVE_INFINITY;
  return (bytes) => {
    sinceCheck += bytes;
    if (sinceCheck < SPACE_CHECK_BYTES) return;
    const { free, reserve } = diskSpace(root);
    if (free - bytes < reserve) throw diskFull();
    sinceCheck = 0;
  };
}
