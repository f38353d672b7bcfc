import { copyFileSync, linkSync } from "node:fs";
import { errorCode } from "../../../domain/error-message.ts";

/** What says that a file system has no links, or not so many of one file. */
const NO_LINK = ["EPERM", "EXDEV", "EMLINK", "ENOTSUP", "EOPNOTSUPP"];

/** Gives content a second name, in a store of its own; false where there is no such content. */
export function linkContent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    if (!NO_LINK.includes(errorCode(error))) throw error;
    copyFileSync(from, to);
    return true;
  }
}
