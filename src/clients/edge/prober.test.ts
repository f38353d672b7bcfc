import { describe, expect, test } from "bun:test";
import { loopbackServers } from "../http/testing/loopback.ts";
import { selfSigned } from "../http/testing/self-signed.ts";
import { socketProber } from "./prober.ts";
import { edgeRanges } from "./ranges.ts";

const never = new AbortController().signal;
const request = { address: "127.0.0.1", hostname: "www.example.org", path: "/.well-known/vitrine/x" };
const { web, raw } = loopbackServers();

function probe(port: number, scheme: "http" | "https" = "http", allowPrivate = true) {
  const options = { ports: { http: port, https: port }, allowPrivate, timeLimit: 60_000 };
  return socketProber(options).probe({ ...request, scheme }, never);
}

describe("a probe of a public name", () => {
  test("connects to the address with the claim's name, without a port", async () => {
    const seen: string[] = [];
    const port = web((req) => {
      seen.push(`${req.method} ${new URL(req.url).pathname} ${req.headers.get("host")}`);
      return new Response("answer", { headers: { "CF-Ray": "8a1-FRA", "CF-Cache-Status": "MISS" } });
    });
    expect(await probe(port)).toEqual({
      kind: "answered",
      address: "127.0.0.1",
      statusCode: 200,
      body: "answer",
      location: null,
      ray: "8a1-FRA",
      cacheStatus: "MISS",
      certificateError: null,
      certificateNamesHost: false,
    });
    expect(seen).toEqual(["GET /.well-known/vitrine/x www.example.org"]);
  });

  test("reports a redirect and does not follow it", async () => {
    let requests = 0;
    const port = web(() => {
      requests++;
      return Response.redirect("https://www.example.org/elsewhere", 301);
    });
    expect(await probe(port)).toMatchObject({ statusCode: 301, location: "https://www.example.org/elsewhere" });
    expect(requests).toBe(1);
  });

  test("reports the certificate separately from the response", async () => {
    const good = await selfSigned("www.example.org");
    const other = await selfSigned("other.example.org");
    const fetch = () => new Response("answer");
    expect(await probe(web(fetch, good), "https")).toMatchObject({
      body: "answer",
      certificateError: "it is self-signed",
      certificateNamesHost: true,
    });
    expect(await probe(web(fetch, other), "https")).toMatchObject({ body: "answer", certificateNamesHost: false });
  });

  test("distinguishes a closed port, a failed TLS handshake and invalid HTTP", async () => {
    const plain = web(() => new Response("answer"));
    expect(await probe(1)).toMatchObject({ kind: "connect", reason: "connection refused" });
    expect(await probe(1, "https")).toMatchObject({ kind: "connect" });
    expect(await probe(plain, "https")).toMatchObject({ kind: "tls" });
    expect(await probe(await raw((socket) => socket.end("SSH-2.0-OpenSSH\r\n")))).toMatchObject({ kind: "malformed" });
    expect(await probe(await raw((socket) => socket.end("HTTP/1.1 200 OK\r\nA: b")))).toMatchObject({
      kind: "malformed",
    });
    expect(await probe(await raw((socket) => socket.destroy()))).toMatchObject({ kind: "malformed" });
  });

  test.each(["http", "https"] as const)("reports a connection that was closed early, over %s", async (scheme) => {
    const port = await raw((socket) => socket.resetAndDestroy());
    expect(await probe(port, scheme)).toMatchObject({
      kind: scheme === "http" ? "malformed" : "tls",
      reason: "connection broken off",
    });
  });

  test("stops reading after 64 kB", async () => {
    const port = await raw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      // More than 64 kB and endless: a prober that waits for the end exceeds its time limit.
      socket.write(`1000\r\n${"a".repeat(4096)}\r\n`.repeat(256));
    });
    expect(await probe(port)).toMatchObject({ kind: "answered", statusCode: 200 });
  });

  test("reads a response in very many pieces", async () => {
    const port = await raw(async (socket) => {
      socket.setNoDelay(true);
      for (const character of `HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n${"a".repeat(300)}`) {
        socket.write(character);
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.end();
    });
    expect(await probe(port)).toMatchObject({ kind: "answered", statusCode: 200, body: "a".repeat(300) });
  });

  test("is aborted with its check", async () => {
    const port = await raw(() => {});
    const prober = socketProber({ ports: { http: port, https: port }, allowPrivate: true });
    expect(await prober.probe({ ...request, scheme: "http" }, AbortSignal.abort())).toMatchObject({ kind: "timeout" });
  });

  test("does not connect to a private address unless that is allowed", async () => {
    let connections = 0;
    const port = await raw(() => connections++);
    expect(await probe(port, "http", false)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("--allow-private-probes"),
    });
    expect(connections).toBe(0);
  });
});

describe("the edge's ranges", () => {
  test("are the published ones with their version, unless the operator configures others", () => {
    const builtIn = edgeRanges(null);
    expect(builtIn.version).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(["104.16.1.1", "172.71.255.255", "2606:4700::6810:1"].map(builtIn.covers)).toEqual([true, true, true]);
    expect(["9.9.9.9", "172.72.0.0", "2001:4860::1", "nonsense"].map(builtIn.covers)).toEqual(Array(4).fill(false));
    const own = edgeRanges(["127.0.0.2/32"]);
    expect(own.version).toMatch(/^custom-[0-9a-f]{12}$/);
    expect([own.covers("127.0.0.2"), own.covers("104.16.1.1")]).toEqual([true, false]);
    expect(edgeRanges(["127.0.0.3/32"]).version).not.toBe(own.version);
  });
});
