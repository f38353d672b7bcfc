import { expect, test } from "bun:test";
import { t, ValidationError } from "elysia";
import { DomainError } from "../domain/errors.ts";
import { errorResponse } from "./errors.ts";

function answered(error: unknown) {
  const reported: unknown[] = [];
  return { response: errorResponse(error, (what) => reported.push(what)), reported };
}

test("an unexpected error gets 500 and is reported", async () => {
  const error = new TypeError("of a secret");
  const { response, reported } = answered(error);
  expect([response.status, await response.json()]).toEqual([500, { detail: "internal error" }]);
  expect(reported).toEqual([error]);
});

test("a response that does not match its schema is an internal error", async () => {
  const error = new ValidationError("response", t.Object({ day: t.String() }), { day: 7 });
  const { response, reported } = answered(error);
  expect([response.status, await response.json()]).toEqual([500, { detail: "internal error" }]);
  expect(reported).toEqual([error]);
});

test("the cause of an error is reported and not sent", async () => {
  const cause = new Error("EIO: i/o error, read");
  const { response, reported } = answered(new DomainError("unavailable", "the disk fails", { retryAfter: 30, cause }));
  expect([response.status, await response.json()]).toEqual([503, { detail: "the disk fails" }]);
  expect(response.headers.get("retry-after")).toBe("30");
  expect(reported).toEqual([cause]);
});

test("an expected error is not reported", () => {
  const { response, reported } = answered(new DomainError("forbidden", "site ownership is required"));
  expect([response.status, reported]).toEqual([403, []]);
});
