import { expect, test } from "bun:test";
import { observed } from "./watching.ts";

const request = new Request("http://localhost/");
const server = { requestIP: () => null } as never;

test("an observer is called for each response, now or later, and for failures with 500", async () => {
  const statuses: number[] = [];
  const observers = [(_request: Request, _peer: string, status: number) => void statuses.push(status)];
  await observed(() => new Response(null, { status: 204 }), observers)(request, server);
  await observed(async () => new Response(null, { status: 404 }), observers)(request, server);
  const failing = observed(() => Promise.reject(new Error("unforeseen")), observers);
  expect(failing(request, server)).rejects.toThrow("unforeseen");
  await Promise.resolve();
  expect(statuses).toEqual([204, 404, 500]);
});

test("without observers the handler itself is used", () => {
  const handler = () => new Response();
  expect(observed(handler, [])).toBe(handler);
});
