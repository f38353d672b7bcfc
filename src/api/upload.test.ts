import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { PACE_WINDOW_MS } from "../domain/deployments/upload-pace.ts";
import { diskFull } from "../domain/disk-error.ts";
import { FakeTimers } from "../jobs/testing/fake-timers.ts";
import { filesystemSpool } from "../storage/spool/filesystem.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { newUploadTable, sharedUploads } from "../workers/upload-table.ts";
import { attachConnection } from "./connection.ts";
import { errorResponse } from "./errors.ts";
import { CONNECTION } from "./testing/test-api.ts";
import { discardBody, withArchive } from "./upload.ts";

const RATE = 1000;
const WINDOW_BYTES = (RATE * PACE_WINDOW_MS) / 1000;
const MIB = 1024 * 1024;
const HEAD = 'Content-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
const BEGINNING = `--b\r\n${HEAD}`;
const END = "\r\n--b--\r\n";

const folder = temporaryFolder();

let timers: FakeTimers;
let server: ReturnType<typeof startServer>;
/** The free space for the spool. */
let space: number;
let archiveBytes: number;

/** A real server that receives uploads as POST /deploy does. Tests advance its clock. */
function startServer() {
  const ports = {
    spool: filesystemSpool(folder, (bytes) => {
      if (bytes > space) throw diskFull();
      space -= bytes;
    }),
    uploads: sharedUploads(newUploadTable(), { count: 3, bytes: 2 * MIB }),
    timers,
    minUploadRate: RATE,
    limits: { archiveBytes, siteBytes: 0, fileBytes: 0, files: 0 },
  };
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      attachConnection(request, CONNECTION);
      const owner = Number(request.headers.get("x-owner") ?? 1);
      try {
        const size = await withArchive(ports, request, owner, async ({ path }) => Bun.file(path).size);
        return Response.json({ size });
      } catch (error) {
        const response = errorResponse(error, console.error);
        response.headers.set("Connection", "close");
        return response;
      }
    },
  });
}

beforeEach(() => {
  timers = new FakeTimers();
  space = Number.POSITIVE_INFINITY;
  archiveBytes = 8 * MIB;
  server = startServer();
});
afterEach(async () => {
  await server.stop(true);
  expect(readdirSync(folder)).toEqual([]);
});

interface Upload {
  readonly socket: Socket;
  /** The complete response, once the server has closed the connection. */
  readonly response: Promise<string>;
  send(text: string | Uint8Array): Promise<void>;
}

/** Starts an upload over a socket. The test decides what it sends. */
async function begin(length: number | "chunked", owner = 1): Promise<Upload> {
  const socket = connect({ port: server.port as number, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  socket.on("data", (chunk) => (received += chunk.toString("latin1")));
  socket.on("error", () => {});
  const response = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  socket.once("end", () => socket.end());
  await once(socket, "connect");
  const send = (text: string | Uint8Array) => new Promise<void>((sent) => socket.write(text, () => sent()));
  const framing = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  const type = "Content-Type: multipart/form-data; boundary=b";
  await send(`POST /deploy HTTP/1.1\r\nHost: x\r\nX-Owner: ${owner}\r\n${type}\r\n${framing}\r\n\r\n`);
  return { socket, response, send };
}

const filesInSpool = async (count: number) => {
  while (readdirSync(folder).length !== count) await new Promise(setImmediate);
};
/** Waits until the only file in the spool has this many bytes. */
const spooled = async (bytes: number) => {
  const [name = ""] = readdirSync(folder);
  while (existsSync(join(folder, name)) && Bun.file(join(folder, name)).size < bytes) await new Promise(setImmediate);
};

describe("an upload that arrives too slowly", () => {
  test("and stops gets 408 after a window, and leaves nothing in the spool", async () => {
    const upload = await begin(MIB);
    await upload.send(BEGINNING);
    await filesInSpool(1);
    await timers.begun();
    await timers.pass(PACE_WINDOW_MS - 1);
    await filesInSpool(1);
    await timers.pass(1);
    await filesInSpool(0);
    const response = await upload.response;
    expect(response).toStartWith("HTTP/1.1 408 ");
    expect(response).toContain(
      '{"detail":"the upload is too slow: fewer than 1000 bytes a second came over 30 seconds',
    );
  });

  test("byte by byte gets 408 in any window", async () => {
    const upload = await begin(MIB);
    await upload.send(BEGINNING);
    await filesInSpool(1);
    await timers.begun();
    await upload.send(Buffer.alloc(WINDOW_BYTES));
    await spooled(WINDOW_BYTES - 100);
    await timers.pass(PACE_WINDOW_MS);
    await filesInSpool(1);
    for (let n = 1; n < 5; n++) {
      await upload.send("x");
      await timers.pass(PACE_WINDOW_MS / 5);
    }
    await filesInSpool(1);
    await timers.pass(PACE_WINDOW_MS / 5);
    expect(await upload.response).toStartWith("HTTP/1.1 408 ");
  });

  test("at the minimum rate is accepted, regardless of its duration", async () => {
    const body = BEGINNING.length + 4 * WINDOW_BYTES + END.length;
    const upload = await begin(body);
    await upload.send(BEGINNING);
    await filesInSpool(1);
    await timers.begun();
    for (let n = 1; n <= 4; n++) {
      await upload.send(Buffer.alloc(WINDOW_BYTES));
      await spooled(n * WINDOW_BYTES - 200);
      await timers.pass(PACE_WINDOW_MS);
    }
    const answered = once(upload.socket, "data");
    await upload.send(END);
    expect(String((await answered)[0])).toContain(`{"size":${4 * WINDOW_BYTES}}`);
    upload.socket.destroy();
  });
});

describe("concurrent uploads of one owner", () => {
  test("are limited to three", async () => {
    const stalled = [await begin(1000), await begin(1000), await begin(1000)];
    for (const upload of stalled) await upload.send(BEGINNING);
    await filesInSpool(3);
    const refused = await (await begin(1000)).response;
    expect(refused).toStartWith("HTTP/1.1 429 ");
    expect(refused).toMatch(/retry-after: 10\r\n/i);
    expect(refused).toContain("too many uploads of this owner are under way: at most 3 at once");
    const others = await begin(1000, 2);
    await others.send(BEGINNING);
    await filesInSpool(4);
    stalled[0]?.socket.destroy();
    await filesInSpool(3);
    const next = await begin(1000);
    await next.send(BEGINNING);
    await filesInSpool(4);
    for (const { socket } of [...stalled, others, next]) socket.destroy();
    await filesInSpool(0);
  });

  test("are limited to two mebibytes in total, declared or received", async () => {
    const first = await begin(1.5 * MIB);
    await first.send(BEGINNING);
    await filesInSpool(1);
    const declared = await (await begin(MIB)).response;
    expect(declared).toStartWith("HTTP/1.1 429 ");
    expect(declared).toContain("at most 2097152 bytes together");
    const chunked = await begin("chunked");
    await chunked.send(`${BEGINNING.length.toString(16)}\r\n${BEGINNING}\r\n`);
    await filesInSpool(2);
    await chunked.send(`${MIB.toString(16)}\r\n`);
    await chunked.send(Buffer.alloc(MIB));
    expect(await chunked.response).toStartWith("HTTP/1.1 429 ");
    await filesInSpool(1);
    first.socket.destroy();
    await filesInSpool(0);
  });
});

describe("the reserve of the disk", () => {
  test("is not used by an upload that declares more than is free: it is refused before reading", async () => {
    space = MIB;
    const upload = await begin(2 * MIB);
    const response = await upload.response;
    expect(response).toStartWith("HTTP/1.1 507 ");
    expect(response).toContain('{"detail":"the disk is full: free some space and try again"}');
  });

  test("is not used by an upload of undeclared size: it is refused at the first byte above the limit", async () => {
    space = MIB;
    const upload = await begin("chunked");
    await upload.send(`${BEGINNING.length.toString(16)}\r\n${BEGINNING}\r\n`);
    await filesInSpool(1);
    await upload.send(`${(2 * MIB).toString(16)}\r\n`);
    await upload.send(Buffer.alloc(2 * MIB));
    expect(await upload.response).toStartWith("HTTP/1.1 507 ");
  });
});

/** What a form adds to its archive, at most. */
const OVERHEAD = 64 * 1024;

describe("the maximum size of an archive", () => {
  const LIMIT = 1000;
  beforeEach(async () => {
    await server.stop(true);
    archiveBytes = LIMIT;
    server = startServer();
  });

  const upload = (size: number) => {
    const form = new FormData();
    form.set("file", new Blob([new Uint8Array(size)]));
    return fetch(server.url, { method: "POST", body: form });
  };

  test("does not count the form around it", async () => {
    expect(await (await upload(LIMIT)).json()).toEqual({ size: LIMIT });
    const refused = await upload(LIMIT + 1);
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining("larger than 1000 bytes")]);
  });

  test("is exceeded before anything is read by a form that declares more than both", async () => {
    const accepted = await begin(LIMIT + OVERHEAD);
    await accepted.send(BEGINNING);
    await filesInSpool(1);
    const refused = await begin(LIMIT + OVERHEAD + 1);
    expect(await refused.response).toStartWith("HTTP/1.1 413 ");
    accepted.socket.destroy();
    await filesInSpool(0);
  });
});

test.each([
  [19, 200, "size"],
  [20, 422, "Send the part named file among the first 20"],
])("behind %d other fields the archive gets %d", async (others, status, words) => {
  const form = new FormData();
  for (let field = 0; field < others; field++) form.set(`field ${field}`, "x");
  form.set("file", new Blob(["archive"]));
  const response = await fetch(server.url, { method: "POST", body: form });
  expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(words)]);
});

describe("the body of a refused request", () => {
  const ports = () => ({
    timers,
    minUploadRate: RATE,
    limits: { archiveBytes: 0, siteBytes: 0, fileBytes: 0, files: 0 },
  });
  /** A request with a body of so many kilobytes, and how many were read. */
  function sending(kilobytes: number, headers: Record<string, string> = {}) {
    const sent = { kilobytes: 0 };
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent.kilobytes++ < kilobytes) controller.enqueue(new Uint8Array(1024));
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return { request: new Request("http://x/deploy", { method: "POST", body, headers }), sent };
  }

  test.each([
    ["is read completely up to the size of an upload", 64, {}, 65],
    ["is not read beyond it", 1000, {}, 65],
    ["is not read at all if it declares more", 1000, { "content-length": String(OVERHEAD + 1) }, 0],
    ["is read if it declares no more", 64, { "content-length": String(OVERHEAD) }, 65],
  ])("%s", async (_, kilobytes, headers, expected) => {
    const { request, sent } = sending(kilobytes, headers);
    await discardBody(request, ports());
    expect(sent.kilobytes).toBe(expected);
  });
});
