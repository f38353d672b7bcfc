import { expect } from "bun:test";
import { DomainError } from "../../../domain/errors.ts";

/** Returns the error that a promise rejects with, which must be one of the domain. */
export async function refusal(promise: Promise<unknown>): Promise<DomainError> {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(DomainError);
  return error as DomainError;
}
