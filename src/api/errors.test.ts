import { expect, test } from "bun:test";
import { t, ValidationError } from "elysia";
import { DomainError } from "../domain/errors.ts";
import { errorResponse } from "./errors.ts";

function answered(error: unknown) {
  const reported: unknown[] = [];
  return { response: errorResponse(error, (what) => reported.push(what)), reported };
}

test("what nobody foresaw is told in two words, and the log gets it whole", async () => {
  const error = new TypeError("of a secret");
  const { response, reported } = answered(error);
  expect([response.status, await response.json()]).toEqual([500, { detail: "internal error" }]);
  expect(reported).toEqual([error]);
});

test("an answer of ours that does not fit its schema is no mistake of the caller", async () => {
  const error = new ValidationError("response", t.Object({ day: t.String() }), { day: 7 });
  const { response, reported } = answered(error);
  expect([response.status, await response.json()]).toEqual([500, { detail: "internal error" }]);
  expect(reported).toEqual([error]);
});

test("the cause of a failure is for the log alone", async () => {
  const cause = new Error("EIO: i/o error, read");
  const { response, reported } = answered(new DomainError("unavailable", "the disk fails", { retryAfter: 30, cause }));
  expect([response.status, await response.json()]).toEqual([503, { detail: "the disk fails" }]);
  expect(response.headers.get("retry-after")).toBe("30");
  expect(reported).toEqual([cause]);
});

test("a refusal is no matter for the log", () => {
  const { response, reported } = answered(new DomainError("forbidden", "site ownership is required"));
  expect([response.status, reported]).toEqual([403, []]);
});
