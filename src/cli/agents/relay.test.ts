import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { ApiClient } from "../client/client.ts";
import { stubServer } from "../testing/stub-server.ts";
import { answerLine, relayTo } from "./relay.ts";

const root = temporaryFolder();
const folder = join(root, "working");
for (const name of ["working/dist", "working-too"]) mkdirSync(join(root, name), { recursive: true });
writeFileSync(join(folder, "dist/index.html"), "hello");
writeFileSync(join(root, "working-too/secret.txt"), "secret");
symlinkSync(join(root, "working-too"), join(folder, "link"));
symlinkSync("dist", join(folder, "inner"));

const DEPLOYED = {
  site_name: "blog",
  deployment_number: 3,
  deployment_url: "https://3--blog.example.org",
  alias_url: null,
  active: false,
  expires_at: null,
};

/** Answers lines with a server, and returns what was written and what the server got. */
async function answers(lines: readonly string[], response: Response) {
  await using server = stubServer({ "POST /mcp": response, "POST /deploy": Response.json(DEPLOYED, { status: 201 }) });
  const relay = relayTo(new ApiClient(server.url, "vts_secret"), folder);
  const written: Record<string, unknown>[] = [];
  for (const line of lines) await answerLine(relay, line, (text) => written.push(JSON.parse(text)));
  return { written, requested: server.requested };
}

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const stream = (result: object) =>
  new Response(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n\n`, {
    headers: { "Content-Type": "text/event-stream" },
  });

test("messages are passed on with the credential, and the tool for folders is added", async () => {
  const tools = stream({ tools: [{ name: "sites_list" }], protocolVersion: "2025-06-18" });
  const lines = [message("initialize"), "", message("tools/list")];
  const { written, requested } = await answers(lines, tools);
  expect(written[1]).toMatchObject({ id: 1, result: { tools: [{ name: "sites_list" }, { name: "deploy_folder" }] } });
  expect(requested.map(({ headers }) => headers.get("mcp-protocol-version"))).toEqual([null, "2025-06-18"]);
  expect(requested[0]?.headers.get("authorization")).toBe("Bearer vts_secret");
});

test("a message of 2026 has its parts in header fields", async () => {
  const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  const { requested } = await answers([message("tools/call", { name: "sites_list", ...meta })], stream({}));
  const names = ["mcp-protocol-version", "mcp-method", "mcp-name"];
  expect(names.map((name) => requested[0]?.headers.get(name))).toEqual(["2026-07-28", "tools/call", "sites_list"]);
});

test.each([
  [{ folder: "dist", site: "blog" }, "https://3--blog.example.org"],
  [{ folder: "inner", site: "blog", alias: "new" }, "https://3--blog.example.org"],
  [{ folder: "./dist/../dist", site: "blog" }, "https://3--blog.example.org"],
  [{ folder: ".", site: "blog" }, "https://3--blog.example.org"],
  [{ folder: "..", site: "blog" }, "is outside of the working folder"],
  [{ folder: "../working-too", site: "blog" }, "is outside of the working folder"],
  [{ folder: "link", site: "blog" }, "is outside of the working folder"],
  [{ folder: "/etc", site: "blog" }, "is outside of the working folder"],
  [{ folder: "missing", site: "blog" }, "cannot be read (ENOENT)"],
  [{ folder: 7, site: "blog" }, "give folder"],
  [{ folder: "dist" }, "give site"],
  [{ folder: "dist", site: "blog", alias: 7 }, "alias is a text"],
])("a folder %j is answered with %p", async (args, told) => {
  const call = message("tools/call", { name: "deploy_folder", arguments: args });
  const { written, requested } = await answers([call], stream({}));
  expect(JSON.stringify(written[0])).toContain(told);
  expect(requested.length).toBe(told.startsWith("https") ? 1 : 0);
});

test("what is no message, and what the server refuses, is an error", async () => {
  const refused = Response.json({ detail: "too many calls" }, { status: 429 });
  const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  const { written } = await answers(["{", "7", message("tools/list"), notification], refused);
  expect(written).toEqual([
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "send one JSON object a line" } },
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "send one JSON object a line" } },
    { jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "too many calls" } },
  ]);
});
