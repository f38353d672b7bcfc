import { expect, test } from "bun:test";
import { join } from "node:path";
import { MINUTE } from "../../domain/timestamp.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import type { GuardedClient, GuardedResponse } from "../http/guarded.ts";
import { loopbackServers } from "../http/testing/loopback.ts";
import { selfSigned } from "../http/testing/self-signed.ts";
import { fetchedClientDocuments } from "./client-documents.ts";

const ID = "https://editor.example/client.json";
const DOCUMENT = JSON.stringify({ client_id: ID, client_name: "An editor", redirect_uris: ["http://localhost/"] });

function answering(response: GuardedResponse) {
  const asked: unknown[] = [];
  let now = 0;
  const guard: GuardedClient = {
    refusal: () => null,
    send: async (url, request) => {
      asked.push([url.href, request.method]);
      return response;
    },
  };
  const documents = fetchedClientDocuments(guard, { now: () => now });
  return { documents, asked, advance: (time: number) => (now += time) };
}

const found = (text: string, statusCode = 200): GuardedResponse => ({
  statusCode,
  body: Buffer.from(text),
  error: null,
});

test("a document is fetched once in ten minutes", async () => {
  const { documents, asked, advance } = answering(found(DOCUMENT));
  expect(documents.recent(ID)).toBeNull();
  const client = { id: ID, name: "An editor", redirectUris: ["http://localhost/"] };
  expect(await documents.fetch(ID)).toEqual(client);
  expect([documents.recent(ID), asked]).toEqual([client, [[ID, "GET"]]]);
  advance(10 * MINUTE);
  expect(documents.recent(ID)).toBeNull();
});

test.each<[problem: string, response: GuardedResponse]>([
  ["cannot be fetched: the name cannot be resolved", { statusCode: null, error: "the name cannot be resolved" }],
  ["is answered with the status 302", found("", 302)],
  ["is larger than 5120 bytes", found(DOCUMENT.padEnd(5121))],
  ["is not a JSON object", found("<html>")],
])("a document that %s is not kept", async (problem, response) => {
  const { documents } = answering(response);
  expect(await documents.fetch(ID)).toEqual({ problem });
  expect(documents.recent(ID)).toBeNull();
});

const { web } = loopbackServers();

test.each<[url: string, isTrusted: boolean, result: object, requests: number]>([
  ["https://editor.example/client.json", true, { name: "An editor" }, 1],
  ["https://editor.example/moved.json", true, { problem: "is answered with the status 302" }, 1],
  ["https://other.example/client.json", true, { problem: expect.stringContaining("for other names") }, 0],
  ["https://editor.example/client.json", false, { problem: expect.stringContaining("not trusted") }, 0],
])(
  "%s is fetched over HTTPS with the certificate of editor.example, trusted: %p",
  async (url, isTrusted, result, requests) => {
    const asked: string[] = [];
    const tls = await selfSigned("editor.example");
    const port = web((request) => {
      const { pathname, href } = new URL(request.url);
      asked.push(pathname);
      if (pathname === "/moved.json") return Response.redirect("/client.json");
      return Response.json({ client_id: href, client_name: "An editor", redirect_uris: ["http://localhost/"] });
    }, tls);
    const folder = temporaryFolder();
    await Bun.write(join(folder, "ca.pem"), tls.cert);
    const program = join(import.meta.dir, "testing/fetch-document.ts");
    const id = new URL(url);
    id.port = `${port}`;
    const env = isTrusted ? { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") } : process.env;
    const child = Bun.spawn([process.execPath, program, id.href], { env });
    expect(await new Response(child.stdout).json()).toMatchObject(result);
    expect(asked).toHaveLength(requests);
  },
);
