import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { VersionReport } from "../api/schemas/types.ts";
import { Authenticator } from "../api/testing/authenticator.ts";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { PASSWORD } from "./testing/accounts.ts";
import { zipOf } from "./testing/archives.ts";
import { executable, run, type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";

const scratch = scratchFolder();
const dataDir = join(scratch.path, "data");
let server: ServingProcess;
let token: string;

beforeAll(async () => {
  token = await signUp(dataDir, "ada");
  server = await startProcess(dataDir);
});
afterAll(async () => {
  await server?.end("SIGTERM");
  scratch[Symbol.dispose]();
});

/** Runs curl. Returns the status and the body. */
async function curl(...args: string[]): Promise<{ status: number; body: Buffer }> {
  const output = join(scratch.path, `answer-${crypto.randomUUID()}`);
  const child = Bun.spawn(["curl", "-sS", "-o", output, "-w", "%{http_code}", ...args], { stdout: "pipe" });
  const status = Number(await new Response(child.stdout).text());
  return { status, body: (await Bun.file(output).exists()) ? readFileSync(output) : Buffer.alloc(0) };
}

const api = (path: string) => `${server.baseUrl}${path}`;
const site = (label: string, path = "/") => `http://${label}.localhost:${server.port}${path}`;
const bearer = () => ["-H", `Authorization: Bearer ${token}`];

async function deployFile(archive: string, name: string) {
  return curl(...bearer(), "-H", `X-Service-Site: ${name}`, "-F", `file=@${archive}`, api("/deploy"));
}

needing("curl").test(
  "curl can deploy, visit, deploy again, roll back, download, deploy the download, and delete",
  async () => {
    const files = {
      "index.html": "<h1>first</h1>",
      "docs/index.html": "docs",
      "app.bin": crypto.getRandomValues(new Uint8Array(70_000)),
    };
    const [first, second] = [join(scratch.path, "first.zip"), join(scratch.path, "second.zip")];
    writeFileSync(first, await zipOf(files));
    writeFileSync(second, await zipOf({ "index.html": "<h1>second</h1>" }));

    const deployed = await deployFile(first, "story");
    expect(deployed.status).toBe(201);
    expect(JSON.parse(deployed.body.toString())).toMatchObject({ site_name: "story", deployment_number: 1 });
    expect((await curl(site("story"))).body.toString()).toBe("<h1>first</h1>");

    expect((await deployFile(second, "story")).status).toBe(201);
    expect((await curl(site("story"))).body.toString()).toBe("<h1>second</h1>");

    const activated = await curl("-X", "POST", ...bearer(), api("/sites/story/deployments/1/activate"));
    expect(activated.status).toBe(200);
    expect((await curl(site("story"))).body.toString()).toBe("<h1>first</h1>");

    const download = await curl(...bearer(), api("/sites/story/deployments/1/archive"));
    const downloaded = join(scratch.path, "downloaded.zip");
    writeFileSync(downloaded, download.body);
    expect((await deployFile(downloaded, "story-copy")).status).toBe(201);
    for (const [path, content] of Object.entries(files)) {
      const wanted = Buffer.from(content as string);
      expect((await curl(site("story-copy", `/${path}`))).body.equals(wanted)).toBeTrue();
    }

    expect((await curl("-X", "DELETE", ...bearer(), api("/sites/story"))).status).toBe(204);
    expect((await curl(site("story"))).status).toBe(404);
  },
);

test("the executable runs in any folder and ignores its configuration files", async () => {
  const elsewhere = join(scratch.path, "elsewhere");
  mkdirSync(elsewhere);
  const copy = join(elsewhere, "vitrine");
  copyFileSync(await executable(), copy);
  // A bunfig or .env beside it must not change how it runs.
  writeFileSync(join(elsewhere, ".env"), "VITRINE_LISTEN=nonsense\n");
  writeFileSync(join(elsewhere, "bunfig.toml"), 'preload = ["./missing.ts"]\n');
  const child = Bun.spawn([copy, "version", "--json"], { cwd: elsewhere, env: {}, stdout: "pipe" });
  expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({ version: expect.any(String) });
  expect(await child.exited).toBe(0);
});

needing("curl").test("API, reference page and migrations are embedded", async () => {
  const document = JSON.parse((await curl(api("/openapi.json"))).body.toString());
  expect(document.openapi).toBe("3.1.0");
  expect(Object.keys(document.paths)).toContain("/deploy");
  const page = (await curl(api("/docs"))).body.toString();
  expect(page).not.toMatch(/(?:src|href)="https?:/);
  for (const [, asset] of page.matchAll(/(?:src|href)="(\/docs[^"]*)"/g)) {
    expect(await curl(api(asset as string))).toMatchObject({ status: 200 });
  }
});

test("the server offers its own executable, whole or in parts", async () => {
  const { client } = (await (await server.fetch("/version")).json()) as VersionReport;
  const [{ platform, url, bytes, sha256 } = { platform: "", url: "", bytes: 0, sha256: "" }] = client.executables;
  const program = await Bun.file(await executable()).bytes();
  expect([url, bytes]).toEqual([api(`/download/vitrine-${platform}`), program.length]);
  expect(sha256).toBe(new Bun.CryptoHasher("sha256").update(program).digest("hex"));

  const whole = await fetch(url);
  const etag = whole.headers.get("etag") ?? "";
  expect(whole.headers.get("content-length")).toBe(String(bytes));
  expect(Buffer.from(program).equals(await whole.bytes())).toBeTrue();
  const part = (headers: Record<string, string>) => fetch(url, { headers: { range: "bytes=100-199", ...headers } });
  expect(await (await part({ "if-range": etag })).bytes()).toEqual(program.slice(100, 200));
  const changed = await part({ "if-range": '"other"' });
  expect([changed.status, (await changed.bytes()).length]).toEqual([200, bytes]);
  expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
  expect((await server.fetch("/download/vitrine-plan9-x64")).status).toBe(404);
});

test("the executable verifies passkeys", async () => {
  const users = (...args: string[]) => run(["users", ...args, "--data-dir", dataDir], { input: PASSWORD });
  expect((await users("add", "grace", "--password-stdin")).status).toBe(0);
  const session = (await users("session", "grace")).stdout.trim();
  const authenticator = await Authenticator.create(server.baseUrl);
  const post = async (path: string, body: object, cookie = "") => {
    const headers = { Authorization: `Bearer ${session}`, "Content-Type": "application/json", Cookie: cookie };
    return server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const challenge = async (path: string) => {
    const response = await post(`${path}/options`, {});
    const [cookie = ""] = response.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
    return { cookie, options: (await response.json()) as { challenge: string } };
  };
  expect((await post("/auth/confirm", { password: PASSWORD })).status).toBe(204);
  const creation = await challenge("/auth/passkeys");
  const created = { name: "Laptop", response: await authenticator.register(creation.options) };
  expect((await post("/auth/passkeys", created, creation.cookie)).status).toBe(201);
  const request = await challenge("/sign-in/passkey");
  const signed = { response: await authenticator.sign(request.options) };
  expect((await post("/sign-in/passkey", signed, request.cookie)).status).toBe(200);
});

test("only the owner can read the data folder", () => {
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, "vitrine.db")).mode & 0o777).toBe(0o600);
});

test("a second server on the same data folder is refused with an explanation", async () => {
  const { status, stderr } = await run(["serve", "--data-dir", dataDir, "--listen", "127.0.0.1:0"]);
  expect(status).toBe(1);
  expect(stderr).toContain("another vitrine serves the data folder");
});

needing("/dev/full").test("output to a full device fails with one line", async () => {
  const { exitCode, stderr } = await Bun.$`${await executable()} version > /dev/full`.quiet().nothrow();
  expect([exitCode, stderr.toString()]).toEqual([1, "error: the output cannot be written (ENOSPC).\n"]);
});

needing("/dev/full").test("a server whose output cannot be written drains normally", async () => {
  const data = join(scratch.path, "unheard");
  const port = freePort();
  const command = [await executable(), "serve", "--data-dir", data, "--listen", `127.0.0.1:${port}`];
  const unheard = Bun.spawn(command, { stdio: ["ignore", "ignore", Bun.file("/dev/full")] });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await Bun.sleep(20);
  unheard.kill("SIGTERM");
  expect(await unheard.exited).toBe(0);
});

test("a command does not create a data folder, because its name may be misspelled", async () => {
  const mistyped = join(scratch.path, "mistyped");
  const { status, stderr } = await run(["audit", "--data-dir", mistyped]);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(`there is no database in ${mistyped} (named by --data-dir)`),
  ]);
  expect(existsSync(mistyped)).toBe(false);
});

test.each([
  [["serve", "--nonsense"], "--nonsense"],
  [["serve", "--workers", "none"], "--workers"],
  [["serve", "--listen", "127.0.0.1:99999"], "--listen"],
])("%p is a usage error that names the setting", async (args, named) => {
  const { status, stderr } = await run([...args, "--data-dir", join(scratch.path, "unused")]);
  expect(status).toBe(2);
  expect(stderr).toContain(named);
});

test("an invalid variable stops the start with a line that names it", async () => {
  const args = ["serve", "--data-dir", join(scratch.path, "unused")];
  const { status, stderr } = await run(args, { env: { VITRINE_TLS: "maybe" } });
  expect(status).not.toBe(0);
  expect(stderr).toContain("VITRINE_TLS");
});
