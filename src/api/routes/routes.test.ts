import { expect, test } from "bun:test";
import { routes } from "./routes.ts";

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** Nobody is signed in yet, nothing is kept, or the change is recorded elsewhere: a consent, and each call of a tool. */
const WITHOUT_SUMMARY = [
  "POST /auth/device",
  "POST /auth/device/token",
  "POST /auth/oauth/token",
  "POST /auth/oauth/revoke",
  "POST /auth/oauth/register",
  "POST /auth/passkeys/options",
  "POST /sign-in/passkey/options",
  "POST /mcp",
  "DELETE /mcp",
];

test("every operation that can change something has a summary for the audit log", () => {
  const silent = routes.filter(({ method, audit }) => method !== "GET" && audit === null);
  expect(silent.map(nameOf).sort()).toEqual(WITHOUT_SUMMARY.toSorted());
});

test("no two routes have the same method and path", () => {
  const names = routes.map(nameOf);
  expect(names).toEqual([...new Set(names)]);
});
