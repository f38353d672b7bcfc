import { errorCode, isDiskFull } from "./error-message.ts";
import { DomainError } from "./errors.ts";

/**
 * Translates a file system's error to one of the domain; other errors are returned unchanged. `place` is the affected
 * part, such as "the content store". Only the cause contains the path.
 */
export function fileFailure(error: unknown, place: string): unknown {
  if (isDiskFull(error)) return diskFull();
  switch (errorCode(error)) {
    case "EMFILE":
    case "ENFILE":
      return new DomainError("unavailable", "too many files are open: try again in a moment", { retryAfter: 1 });
    case "EACCES":
    case "EPERM":
    case "ELOOP":
    case "EROFS":
      return new DomainError("unavailable", `${place} cannot be read or written: check the data folder`, {
        retryAfter: 30,
        cause: error,
      });
    case "ENOMEM":
      return new DomainError("unavailable", "the system has no memory left: try again in a moment", {
        retryAfter: 1,
        cause: error,
      });
    case "EIO":
    case "ENXIO":
    case "ENODEV":
    case "ESTALE":
    case "ETIMEDOUT":
      return diskFails(place, error);
    default:
      return error;
  }
}

/**
 * A disk error is not the client's fault, and the next request may succeed. The operator reads the cause in the log.
 */
export function diskFails(place: string, cause: unknown): DomainError {
  return new DomainError("unavailable", `${place} cannot be read or written: the disk fails`, {
    retryAfter: 30,
    cause,
  });
}

export function diskFull(): DomainError {
  return new DomainError("disk_full", "the disk is full: free some space and try again");
}
