import { expect, test } from "bun:test";
import { DomainError } from "../errors.ts";
import type { Caller } from "./caller.ts";
import { requireOperator, requireRecentOperator } from "./operator.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

function session(operator: boolean, signedInAt: number | null): Caller {
  const account = { id: 1, provider: "local", subject: "1", login: "ada", name: null, avatarUrl: null } as const;
  const user = { ...account, mayOwn: true, operator, createdAt: 0, frozen: null };
  return { kind: "session", user, sessionId: 1, at: 0, signedInAt };
}

function refusalOf(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof DomainError && error.kind === "forbidden") return error.detail.split(":")[0] ?? "";
    throw error;
  }
}

test.each<[string, Caller, string | null, string | null]>([
  ["an operator who has just signed in", session(true, NOW), null, null],
  ["one who signed in almost 15 minutes ago", session(true, NOW - 15 * MINUTE + 1), null, null],
  ["one who signed in 15 minutes ago", session(true, NOW - 15 * MINUTE), null, "recent sign-in is required"],
  ["one who signed in a moment ahead of this clock", session(true, NOW + 1), null, null],
  ["one whose sign-in is in the future", session(true, NOW + 15 * MINUTE), null, "recent sign-in is required"],
  ["one whose session is no sign-in", session(true, null), null, "recent sign-in is required"],
  ["anybody else", session(false, NOW), "operator permission is required", "operator permission is required"],
])("%s", (_who, caller, operates, operatesRecently) => {
  expect(refusalOf(() => requireOperator(caller))).toBe(operates);
  expect(refusalOf(() => requireRecentOperator(caller, NOW))).toBe(operatesRecently);
});
