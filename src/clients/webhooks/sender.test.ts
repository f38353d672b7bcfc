import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { needing } from "../../testing/needing.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { loopbackServers } from "../http/testing/loopback.ts";
import { selfSigned } from "../http/testing/self-signed.ts";
import { type SenderOptions, socketSender } from "./sender.ts";

const never = new AbortController().signal;
const message = { headers: { "webhook-id": "msg_1" }, body: '{"type":"ping – ö"}' };
const { web, raw } = loopbackServers();

/** A sender whose resolver returns these addresses for every name. */
function sender(options: Partial<SenderOptions> = {}, addresses: readonly string[] = ["127.0.0.1"]) {
  return socketSender({ allowPrivate: true, userAgent: "Vitrine", resolve: async () => addresses, ...options });
}

describe("a webhook that is sent", () => {
  test("arrives complete, with the name of its URL in the Host header", async () => {
    const seen: unknown[] = [];
    const port = web(async (request) => {
      const { headers } = request;
      seen.push(request.method, new URL(request.url).pathname + new URL(request.url).search, headers.get("host"));
      seen.push(
        headers.get("content-type"),
        headers.get("webhook-id"),
        headers.get("user-agent"),
        await request.text(),
      );
      return new Response(null, { status: 204 });
    });
    const url = `http://hooks.example.org:${port}/a%20b?c=d`;
    expect(await sender().send({ url, ...message }, never)).toEqual({ statusCode: 204, error: null });
    const host = `hooks.example.org:${port}`;
    expect(seen).toEqual(["POST", "/a%20b?c=d", host, "application/json", "msg_1", "Vitrine", message.body]);
  });

  test("does not follow redirects", async () => {
    let requests = 0;
    const port = web(() => {
      requests++;
      return Response.redirect(`http://127.0.0.1:${port}/elsewhere`, 307);
    });
    const response = await sender().send({ url: `http://a.example:${port}/`, ...message }, never);
    expect([response, requests]).toEqual([{ statusCode: 307, error: null }, 1]);
  });

  needing("loopback").test("uses the next address of the name if the first one does not respond", async () => {
    const port = web(() => new Response("ok"));
    const twice = sender({}, ["127.0.0.3", "127.0.0.1"]);
    expect(await twice.send({ url: `http://a.example:${port}/`, ...message }, never)).toMatchObject({
      statusCode: 200,
    });
  });

  test("is not repeated at another address once it has been sent", async () => {
    let requests = 0;
    const port = await raw((socket) => {
      requests++;
      socket.destroy();
    });
    const twice = sender({}, ["127.0.0.1", "127.0.0.1"]);
    const response = await twice.send({ url: `http://a.example:${port}/`, ...message }, never);
    expect(response).toEqual({ statusCode: null, error: "connection broken off" });
    expect(requests).toBe(1);
  });

  test("needs a trusted certificate for the name", async () => {
    let requests = 0;
    const tls = await selfSigned("a.example");
    const port = web(() => {
      requests++;
      return new Response("ok");
    }, tls);
    const response = await sender().send({ url: `https://a.example:${port}/`, ...message }, never);
    expect(response).toEqual({ statusCode: null, error: expect.stringContaining("the certificate is not trusted") });
    expect(requests).toBe(0);
  });

  test.each([
    ["a.example", { statusCode: 200, error: null }],
    ["b.example", { statusCode: null, error: "the certificate is for other names" }],
    ["127.0.0.1", { statusCode: null, error: "the certificate is for other names" }],
  ])("over HTTPS to %s needs a trusted certificate for it", async (hostname, expected) => {
    const tls = await selfSigned("a.example");
    const port = web(() => new Response("ok"), tls);
    const folder = temporaryFolder();
    await Bun.write(join(folder, "ca.pem"), tls.cert);
    const command = [process.execPath, join(import.meta.dir, "testing/send.ts"), `https://${hostname}:${port}/`];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
    expect(await new Response(Bun.spawn(command, { env }).stdout).json()).toEqual(expected);
  });

  test("is aborted after its time limit, and with the server", async () => {
    const port = await raw(() => {});
    const url = `http://a.example:${port}/`;
    const late = { statusCode: null, error: "no response in time" };
    expect(await sender({ timeLimit: 50 }).send({ url, ...message }, never)).toEqual(late);
    expect(await sender().send({ url, ...message }, AbortSignal.abort())).toMatchObject({ statusCode: null });
    const deaf = sender({ timeLimit: 50, resolve: () => new Promise(() => {}) });
    expect(await deaf.send({ url, ...message }, never)).toMatchObject({ error: "no response within 0.05 s" });
  });

  test.each([
    ["what is not HTTP", "SSH-2.0-OpenSSH\r\n", { statusCode: null, error: "the response is not HTTP" }],
    ["half a response", "HTTP/1.1 200 OK\r\nA: b", { statusCode: null, error: "connection broken off" }],
    [
      "an interim response before it",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\nabc",
      { statusCode: 202, error: null },
    ],
    ["long headers", `HTTP/1.1 202 Accepted\r\nA: ${"b".repeat(20_000)}\r\n\r\n`, { statusCode: 202, error: null }],
    [
      "long headers behind an interim response",
      `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 500 No\r\nA: ${"b".repeat(20_000)}\r\n\r\n`,
      { statusCode: 500, error: null },
    ],
    [
      "endless headers",
      `HTTP/1.1 200 OK\r\nA: ${"b".repeat(200_000)}`,
      { statusCode: null, error: "the header section of the response is too long" },
    ],
    ["a long response", `HTTP/1.1 500 No\r\n\r\n${"secret".repeat(20_000)}`, { statusCode: 500, error: null }],
  ])("receives only the status of %s", async (_what, text, expected) => {
    const port = await raw((socket) => socket.end(text));
    expect(await sender().send({ url: `http://a.example:${port}/`, ...message }, never)).toEqual(expected);
  });

  test("fails if the name cannot be resolved", async () => {
    const lost = sender({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    const response = await lost.send({ url: "http://a.example/", ...message }, never);
    expect(response).toEqual({ statusCode: null, error: "the name cannot be resolved" });
  });
});

describe("the guard against private addresses", () => {
  const guarded = (addresses: readonly string[]) => sender({ allowPrivate: false }, addresses);

  test("refuses private addresses behind any name, and does not reveal which one", async () => {
    let connections = 0;
    const port = await raw(() => connections++);
    const response = await guarded(["127.0.0.1", "10.1.2.3"]).send(
      { url: `http://a.example:${port}/`, ...message },
      never,
    );
    expect(response.error).toContain("--allow-private-webhooks");
    expect(response.error).not.toContain("10.1.2.3");
    expect(connections).toBe(0);
  });

  test("checks the addresses that are connected to: a name is resolved once", async () => {
    let looks = 0;
    const port = web(() => new Response("ok"));
    const rebinding = sender({ resolve: async () => (looks++ === 0 ? ["127.0.0.1"] : ["127.0.0.9"]) });
    expect(await rebinding.send({ url: `http://a.example:${port}/`, ...message }, never)).toMatchObject({
      statusCode: 200,
    });
    expect(looks).toBe(1);
  });

  test.each([
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
    "http://localhost/",
    "http://site.localhost/",
    "http://hooks.example.org:25/",
    "http://hooks.example.org:22/",
  ])("%s is refused at once", (url) => {
    expect(guarded([]).refusal(new URL(url))).not.toBeNull();
    expect(sender().refusal(new URL(url))).toBeNull();
  });

  test.each(["https://hooks.example.org/", "http://hooks.example.org:8080/x", "https://9.9.9.9/"])(
    "%s is not",
    (url) => {
      expect(guarded([]).refusal(new URL(url))).toBeNull();
    },
  );
});
