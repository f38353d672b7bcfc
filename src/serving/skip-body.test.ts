import { expect, test } from "bun:test";
import { skipBody } from "./skip-body.ts";

/** A request whose body has `most` bytes, or is endless. `sent` returns how much of it was read. */
function sending(most: number, headers: Record<string, string> = {}): { request: Request; sent: () => number } {
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (sent >= most) return controller.close();
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  return { request: new Request("http://demo.test/", { method: "POST", body, headers }), sent: () => sent };
}

test("a body is read to its end", async () => {
  const { request, sent } = sending(2 * 1024 * 1024);
  await skipBody(request);
  expect(sent()).toBe(2 * 1024 * 1024);
});

test("of an endless body a few megabytes are read", async () => {
  const { request, sent } = sending(Infinity);
  await skipBody(request);
  expect(sent()).toBeWithin(4 * 1024 * 1024, 5 * 1024 * 1024);
});

test("nothing is read if the declared length is too large", async () => {
  const { request } = sending(Infinity, { "content-length": "5000000" });
  await skipBody(request);
  expect(request.bodyUsed).toBe(false);
});

test("a slow body is waited for only a limited time", async () => {
  const request = new Request("http://demo.test/", { method: "POST", body: new ReadableStream() });
  await skipBody(request, 1);
  expect(request.bodyUsed).toBe(true);
});

test("a body that is already being read is left alone", async () => {
  const request = new Request("http://demo.test/", { method: "POST", body: "x" });
  const read = request.text();
  await skipBody(request);
  expect(await read).toBe("x");
});
