import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openWorkbench } from "../../archive/testing/unpacking.ts";
import { NO_ORIGIN } from "../../domain/model/deployment.ts";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { ApiClient } from "../client/client.ts";
import { archiveOf } from "./archive.ts";
import { scanFolder } from "./folder.ts";
import { coalesce, upload } from "./upload.ts";

const folder = temporaryFolder();
await Bun.write(join(folder, "site/index.html"), "<h1>hello</h1>".repeat(1000));
await Bun.write(join(folder, "site/grün/x y.txt"), "umlaut");
await Bun.write(join(folder, "site/empty.txt"), "");
await Bun.write(join(folder, "site/photo.jpg"), crypto.getRandomValues(new Uint8Array(5000)));
const server = openWorkbench();
afterAll(() => server.close());

async function collect(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(content));
}

/** Serves one handler during a test. */
async function serving<T>(
  fetch: (request: Request) => Response | Promise<Response>,
  use: (client: ApiClient) => Promise<T>,
) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", maxRequestBodySize: Number.MAX_SAFE_INTEGER, fetch });
  try {
    return await use(new ApiClient(`http://127.0.0.1:${server.port}`, "vts_x"));
  } finally {
    await server.stop(true);
  }
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* zeroes(total: number, onSent: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < total; sent += 65_536) {
    onSent(65_536);
    yield new Uint8Array(65_536);
  }
}

describe("the archive of a folder", () => {
  needing("unzip").test("unpacks with Info-ZIP to the same bytes", async () => {
    const { files } = await scanFolder(join(folder, "site"));
    let read = 0;
    const archive = await collect(archiveOf(files, (bytes) => (read += bytes)));
    await Bun.write(join(folder, "out.zip"), archive);
    await Bun.$`unzip -q out.zip -d out`.cwd(folder).env({ ...process.env, LC_ALL: "C.UTF-8" });
    expect(await Bun.$`diff -r site out`.cwd(folder).text()).toBe("");
    expect(read).toBe(files.reduce((sum, { size }) => sum + size, 0));
  });

  test.each([
    [["assets/a.css", "assets/b.css"]],
    [[".well-known/security.txt"]],
    [["assets/a.css", "index.html"]],
    [["index.html"]],
  ])("is unpacked by the server under the same paths: %j", async (paths) => {
    const files = paths.map((path) => ({ path, file: join(folder, "site/empty.txt"), size: 0 }));
    const unpacked = await server.unpack(await collect(archiveOf(files, () => {})));
    expect(unpacked.files.map(({ path }) => path)).toEqual(paths);
  });

  test("a file that changes while it is read fails the archive", async () => {
    await Bun.write(join(folder, "log.txt"), "now longer than it was");
    const files = [{ path: "log.txt", file: join(folder, "log.txt"), size: 3 }];
    expect(collect(archiveOf(files, () => {}))).rejects.toThrow("changed while it was read");
  });

  test("a missing file is named", async () => {
    const files = [{ path: "a/gone.txt", file: join(folder, "gone.txt"), size: 3 }];
    expect(collect(archiveOf(files, () => {}))).rejects.toThrow("a/gone.txt cannot be read (ENOENT)");
  });
});

test("small chunks are joined in order without losses", async () => {
  const letters = async function* () {
    for (let index = 0; index < 300_000; index++) yield Buffer.from(String.fromCharCode(97 + (index % 26)));
  };
  const joined = await Array.fromAsync(coalesce(letters()));
  expect(joined.map(({ length }) => length)).toEqual([131_072, 131_072, 37_856]);
  expect(Buffer.concat(joined)).toEqual(Buffer.concat(await Array.fromAsync(letters())));
});

describe("the upload", () => {
  const PLAIN = {
    isPreview: false,
    site: null,
    access: null,
    origin: NO_ORIGIN,
    onlyIfChanged: false,
    alias: null,
    expires: null,
    siteExpires: null,
  };
  const WANTED = {
    site: "demo",
    access: "private" as const,
    origin: { message: "über\n100 %", commit: "9fceb02", ref: null },
    onlyIfChanged: true,
  };
  const RESULT = {
    deployment_number: 1,
    name: "demo",
    site_name: "demo",
    private: true,
    url: "http://demo.x",
    active: true,
    deployment_url: "http://1--demo.x",
    alias: null,
    alias_url: null,
    expires_at: null,
  };

  test("is a multipart form as in the API, with site and access in the headers", async () => {
    const seen = Promise.withResolvers<unknown>();
    const result = await serving(
      async (request) => {
        const form = await request.formData();
        const { headers } = request;
        const file = form.get("file") as File;
        seen.resolve([
          file.type,
          await file.text(),
          ...["site", "access", "if-changed", "message", "commit", "ref"].map((name) =>
            headers.get(`x-service-${name}`),
          ),
        ]);
        return Response.json(RESULT, { status: 201 });
      },
      (client) => upload(client, { content: chunks("PK.."), ...PLAIN, ...WANTED }),
    );
    expect(result).toEqual(RESULT);
    const origin = ["yes", "%C3%BCber%0A100%20%25", "9fceb02", null];
    expect(await seen.promise).toEqual(["application/zip", "PK..", "demo", "private", ...origin]);
  });

  test("sends a duration that is no header value, for the server to refuse it", async () => {
    const received = await serving(
      async ({ headers }) => Response.json({ ...RESULT, alias: headers.get("x-service-expires") }, { status: 201 }),
      (client) => upload(client, { content: chunks("PK.."), ...PLAIN, alias: "x", expires: "14 日" }),
    );
    expect(received.alias).toBe("14%20%E6%97%A5");
  });

  test.each([
    [400, "archive is invalid: a/../b"],
    [413, "a deployment limit was exceeded"],
    [503, "try later"],
    [507, "the disk is full"],
  ])("%p as an early response shows the server's detail and stops the upload", async (status, detail) => {
    let sent = 0;
    const total = 200_000_000;
    const attempt = serving(
      async (request) => {
        let received = 0;
        for await (const chunk of request.body as ReadableStream<Uint8Array>) {
          received += chunk.length;
          if (received > 3_000_000) break;
        }
        return Response.json({ detail }, { status, headers: { Connection: "close" } });
      },
      (client) => upload(client, { content: zeroes(total, (bytes) => (sent += bytes)), ...PLAIN }),
    );
    expect(attempt).rejects.toThrow(detail);
    await attempt.catch(() => {});
    expect(sent).toBeLessThan(total / 2);
  });

  test("a response before anything was read is also accepted", async () => {
    const attempt = serving(
      () => Response.json({ detail: "authentication is required" }, { status: 401, headers: { Connection: "close" } }),
      (client) => upload(client, { content: zeroes(50_000_000, () => {}), ...PLAIN }),
    );
    expect(attempt).rejects.toThrow("authentication is required");
  });

  test("a file that cannot be read is reported by name, not as a network error", async () => {
    const files = [{ path: "gone.txt", file: join(folder, "gone.txt"), size: 3 }];
    const attempt = serving(
      async (request) => Response.json({ detail: await request.text().catch(() => "broken") }, { status: 400 }),
      (client) => upload(client, { content: archiveOf(files, () => {}), ...PLAIN }),
    );
    expect(attempt).rejects.toThrow("gone.txt cannot be read");
  });
});
