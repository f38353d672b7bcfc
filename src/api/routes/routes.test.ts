import { expect, test } from "bun:test";
import { routes } from "./routes.ts";

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test("every operation that can change something has a summary for the audit log", () => {
  const silent = routes.filter(({ method, audit }) => method !== "GET" && audit === null);
  expect(silent.map(nameOf)).toEqual(["POST /auth/device", "POST /auth/device/token"]);
});

test("no two routes have the same method and path", () => {
  const names = routes.map(nameOf);
  expect(names).toEqual([...new Set(names)]);
});
