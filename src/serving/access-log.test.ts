import { describe, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import {
  type Access,
  accessLog,
  lineWriter,
  loggedPath,
  type Observer,
  observed,
  truncateAddress,
} from "./access-log.ts";

const ACCESS: Access = {
  at: Date.UTC(2026, 10, 21, 0, 45, 4, 7),
  address: "203.0.113.77",
  method: "GET",
  host: "demo.example.org",
  path: "/docs/",
  status: 200,
  duration: 1.234,
  userAgent: 'Mozilla/5.0 "quoted"',
};

function lineOf(
  format: "text" | "json",
  access: Partial<Access> = {},
  addresses: "full" | "truncated" | "off" = "full",
) {
  let written = "";
  accessLog(format, addresses, (line) => {
    written += line;
  })({ ...ACCESS, ...access });
  return written;
}

test("a text line has the documented format", () => {
  expect(lineOf("text")).toBe(
    '2026-11-21T00:45:04.007Z 203.0.113.77 GET demo.example.org /docs/ 200 1.2ms "Mozilla/5.0 \\"quoted\\""\n',
  );
});

test("a JSON line is an object with the same fields", () => {
  expect(JSON.parse(lineOf("json"))).toEqual({
    time: "2026-11-21T00:45:04.007Z",
    level: "info",
    event: "request",
    address: "203.0.113.77",
    method: "GET",
    host: "demo.example.org",
    path: "/docs/",
    status: 200,
    ms: 1.2,
    agent: 'Mozilla/5.0 "quoted"',
  });
});

test.each([
  ["a host with a line end", { host: "evil\nsecond line" }],
  ["a path with an escape sequence", { path: "/\u001b[2J" }],
  ["an agent with a line end", { userAgent: "a\r\nb" }],
  ["an agent with a terminal's commands", { userAgent: "\u009b31mred\u007f\u202e" }],
])("%s stays in its line", (_, access) => {
  for (const format of ["text", "json"] as const) {
    expect(lineOf(format, access)).toMatch(/^[ -~…]+\n$/);
  }
});

test.each([
  ["203.0.113.77", "203.0.113.0"],
  ["2001:db8:85a3:8d3:1319:8a2e:370:7348", "2001:db8:85a3::"],
  ["2001:db8::1", "2001:db8::"],
  ["::1", "::"],
  ["", ""],
])("%p is truncated to its network %p", (address, network) => {
  expect(truncateAddress(address)).toBe(network);
  expect(lineOf("text", { address }, "truncated")).toContain(` ${network} GET `);
});

test("without addresses no address is written", () => {
  expect(lineOf("text", {}, "off")).toContain("Z - GET ");
});

test.each([
  ["http://demo.example.org/a/b.html", "/a/b.html"],
  ["http://demo.example.org/search?q=private&token=vts_1", "/search"],
  ["http://demo.example.org?code=1", "/"],
  ["http://demo.example.org", "/"],
  ["http://localhost:8080/setup/the-code-itself", "/setup/…"],
  // The URL of a request without a Host header.
  ["/setup/the-code-itself", "/setup/…"],
  ["http://localhost:8080/account/the-code-itself", "/account/…"],
  ["/a/b?c=/d", "/a/b"],
])("%s is written as %s", (url, path) => {
  expect(loggedPath(url)).toBe(path);
});

describe("the writer of lines", () => {
  /** A writer to a file, with a clock that tests advance. */
  async function onFile(
    use: (parts: {
      lines: ReturnType<typeof lineWriter>;
      read: () => string;
      /** The delays of the active timers. */
      timers: Map<() => void, number>;
    }) => Promise<void>,
  ): Promise<void> {
    const folder = temporaryFolder();
    const file = join(folder, "log");
    const fd = openSync(file, "w");
    const timers = new Map<() => void, number>();
    const lines = lineWriter(fd, (run, delay) => {
      timers.set(run, delay);
      return () => timers.delete(run);
    });
    try {
      await use({ lines, read: () => readFileSync(file, "utf8"), timers });
    } finally {
      closeSync(fd);
    }
  }

  test("writes lines together, at most a second late", () =>
    onFile(async ({ lines, read, timers }) => {
      lines.write("one\n");
      lines.write("two\n");
      const [[run, delay] = []] = timers;
      expect([read(), timers.size, delay]).toEqual(["", 1, 1000]);
      run?.();
      expect(timers.size).toBe(0);
      while (read() !== "one\ntwo\n") await Bun.sleep(1);
    }));

  test("writes a full batch at once", () =>
    onFile(async ({ lines, read, timers }) => {
      const line = `${"x".repeat(1023)}\n`;
      for (let count = 0; count < 64; count++) lines.write(line);
      expect(timers.size).toBe(0);
      while (read().length < 64 * 1024) await Bun.sleep(1);
    }));

  test("loses no line when it closes, during a write or before a timer", () =>
    onFile(async ({ lines, read, timers }) => {
      const expected: string[] = [];
      for (let count = 0; count < 20_000; count++) {
        expected.push(`line ${count} of many\n`);
        lines.write(expected.at(-1) as string);
      }
      await lines.close();
      expect(read()).toBe(expected.join(""));
      expect(timers.size).toBe(0);
    }));

  test("drops and counts lines if the reader is too slow, without delaying requests", () =>
    onFile(async ({ lines, read }) => {
      const line = `${"x".repeat(1023)}\n`;
      for (let count = 0; count < 6000; count++) lines.write(line);
      await lines.close();
      const kept = read().split("\n").length - 2;
      expect(kept).toBeWithin(4096, 4200);
      expect(read()).toEndWith(` ${6000 - kept} lines were dropped: the log is read too slowly\n`);
    }));

  test("survives a log that cannot be written", async () => {
    const lines = lineWriter(9999, () => () => {});
    lines.write("lost\n");
    await lines.close();
  });
});

describe("observers", () => {
  const request = new Request("http://localhost/");
  const server = { requestIP: () => null } as never;

  test("an observer is called for each response, immediate or later, and for failures with 500", async () => {
    const statuses: number[] = [];
    const observe: Observer["observe"] = (_request, _peer, status) => void statuses.push(status);
    const observers = [{ readsPeer: false, observe }];
    await observed(() => new Response(null, { status: 204 }), observers)(request, server);
    await observed(async () => new Response(null, { status: 404 }), observers)(request, server);
    const failing = observed(() => Promise.reject(new Error("unforeseen")), observers);
    expect(failing(request, server)).rejects.toThrow("unforeseen");
    await Promise.resolve();
    expect(statuses).toEqual([204, 404, 500]);
  });

  test("the address of the peer is determined only if an observer reads it", async () => {
    const peers: string[] = [];
    const peerOf = { requestIP: () => ({ address: "203.0.113.9" }) } as never;
    for (const readsPeer of [false, true]) {
      const observe: Observer["observe"] = (_request, peer) => void peers.push(peer);
      await observed(() => new Response(), [{ readsPeer, observe }])(request, peerOf);
    }
    expect(peers).toEqual(["", "203.0.113.9"]);
  });

  test("without observers the handler is used directly", () => {
    const handler = () => new Response();
    expect(observed(handler, [])).toBe(handler);
  });
});
