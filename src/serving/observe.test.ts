import { expect, test } from "bun:test";
import { observed } from "./observe.ts";

const request = new Request("http://localhost/");
const server = { requestIP: () => null } as never;

test("an observer hears of answers, of later ones, and of failures as 500", async () => {
  const heard: number[] = [];
  const observers = [(_request: Request, _peer: string, status: number) => void heard.push(status)];
  await observed(() => new Response(null, { status: 204 }), observers)(request, server);
  await observed(async () => new Response(null, { status: 404 }), observers)(request, server);
  const failing = observed(() => Promise.reject(new Error("unforeseen")), observers);
  expect(failing(request, server)).rejects.toThrow("unforeseen");
  await Promise.resolve();
  expect(heard).toEqual([204, 404, 500]);
});

test("without observers the handler itself is used", () => {
  const handler = () => new Response();
  expect(observed(handler, [])).toBe(handler);
});
