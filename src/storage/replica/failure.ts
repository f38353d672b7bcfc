import { messageOf } from "../../domain/error-message.ts";
import { sqliteFailure } from "../sqlite/failures.ts";

/** The replica cannot be written, so it lacks changes that visitors must see. */
export class ReplicaFailure extends Error {
  constructor(thrown: unknown) {
    const cause = sqliteFailure(thrown);
    super(`the node's replica cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** Settles like a change of the replica; its errors become a ReplicaFailure. */
export async function changingReplica<T>(change: () => T | Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw new ReplicaFailure(error);
  }
}
