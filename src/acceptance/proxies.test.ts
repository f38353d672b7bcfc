import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { Browser } from "./testing/browser.ts";
import { type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";
import { manualCertificate } from "./testing/manual-certificate.ts";
import { BASE, startCaddy, startCaddyOfCompose, startHaproxy, startNginx } from "./testing/web-servers.ts";

// Web servers in front of Vitrine, with the configurations that the repository has and shows: one after the other, on
// the same port. Each one knows Vitrine by two addresses. Bun closes a connection without a response when it reads a
// method that it does not know; a web server that takes this for a failed server would stop passing anything on.

const folder = scratchFolder();
const certificate = join(folder.path, "certificate.pem");
const key = join(folder.path, "key.pem");
const ports = { front: freePort(), back: freePort() };
const dataDir = join(folder.path, "data");
let vitrine: ServingProcess;
let token: string;

needing("loopback").beforeAll(async () => {
  await manualCertificate(folder.path, BASE, `*.${BASE}`);
  token = await signUp(dataDir, "ada");
  await signUp(dataDir, "bob");
  vitrine = await startProcess(dataDir, [
    ...["--listen", `0.0.0.0:${ports.back}`, "--base-url", `https://${BASE}:${ports.front}`],
    ...["--trusted-proxies", "127.0.0.1/32", "--log", "json", "--workers", "1"],
  ]);
});
afterAll(async () => {
  await vitrine?.end("SIGKILL");
  folder[Symbol.dispose]();
});

const CONFIGURATIONS = [
  ["nginx", "nginx of the guide", startNginx],
  ["caddy", "Caddy of the guide", startCaddy],
  ["caddy", "Caddy of compose.proxy.yaml", startCaddyOfCompose],
  ["haproxy", "haproxy.cfg", startHaproxy],
] as const;

/** Requests through the web server from another address, so that the visitor is not taken for the proxy. */
function curl(path: string, args: readonly string[] = [], host: string = BASE): Promise<string> {
  const way = ["-sk", "--interface", "127.0.0.9", "--connect-to", `::127.0.0.1:${ports.front}`];
  return Bun.$`curl ${way} ${args} https://${host}:${ports.front}${path}`.nothrow().text();
}

/** Requests a page, and returns the status. */
const statusOf = (args: readonly string[]) => curl("/health", ["-o", "/dev/null", "-w", "%{http_code}", ...args]);

const addressOf = (site: string) => `https://${site}.${BASE}:${ports.front}`;

/** Deploys a site, and returns status and response. */
async function deploy(site: string, files: Record<string, string | Uint8Array>, access = ""): Promise<string> {
  const archive = join(folder.path, `${site}.zip`);
  writeFileSync(archive, await zipOf(files, { compress: false }));
  const headers = [`Authorization: Bearer ${token}`, `X-Service-Site: ${site}`, `X-Service-Access: ${access}`];
  const form = ["-F", `file=@${archive}`, "-w", " %{http_code}"];
  return curl("/deploy", [...headers.flatMap((header) => ["-H", header]), ...form]);
}

for (const [index, [program, name, start]] of CONFIGURATIONS.entries()) {
  const { afterAll, beforeAll, describe, test } = needing(program, "curl", "loopback");

  describe(`behind ${name}`, () => {
    let web: Subprocess;

    beforeAll(async () => {
      const back = ["127.0.0.1", "127.0.0.2"].map((address) => `${address}:${ports.back}`);
      web = start({ home: join(folder.path, `${index}`), certificate, key, port: ports.front, back });
      while ((await statusOf([])) !== "200") {
        if (web.exitCode !== null) throw new Error(`${name} ended with ${web.exitCode}`);
        await Bun.sleep(20);
      }
    });
    afterAll(async () => {
      // SIGKILL would leave nginx's worker behind.
      web?.kill("SIGTERM");
      await web?.exited;
    });

    test("a large site is uploaded, and visited at its host", async () => {
      const site = `demo-${index}`;
      const big = crypto.getRandomValues(new Uint8Array(4_000_000));
      expect(await deploy(site, { "index.html": "<h1>demo</h1>", "big.bin": big })).toEndWith(" 201");
      const visit = ["-w", " %{http_version}"];
      expect(await curl("/", visit, `${site}.${BASE}`)).toBe("<h1>demo</h1> 2");
      const part = ["-r", "100-199", "-o", "/dev/null", "-w", "%{http_code} %{size_download}"];
      expect(await curl("/big.bin", part, `${site}.${BASE}`)).toBe("206 100");
    });

    test("the log has the visitor's address, not a forged one", async () => {
      const path = `/visited-${index}`;
      await curl(path, ["-H", "X-Forwarded-For: 198.51.100.7"]);
      const line = () =>
        vitrine
          .said()
          .split("\n")
          .find((text) => text.includes(path));
      while (!line()) await Bun.sleep(20);
      expect(line()).toContain('"127.0.0.9"');
      expect(line()).not.toContain("198.51.100.7");
    });

    test("a reader signs in and reads a private site", async () => {
      const site = `diary-${index}`;
      const deployed = await deploy(site, { "index.html": "<h1>the secret diary</h1>" }, "private");
      expect(deployed).toContain(`"url":"${addressOf(site)}"`);
      const reader = ["-H", `Authorization: Bearer ${token}`, "--json", '{"provider_login":"bob"}'];
      expect(await curl(`/sites/${site}/access/readers`, reader)).toContain("bob");

      const browser = new Browser(`https://${BASE}:${ports.front}`, ({ hostname, pathname, search }, init) => {
        const tls = { rejectUnauthorized: false, serverName: hostname };
        return fetch(`https://127.0.0.1:${ports.front}${pathname}${search}`, { ...init, tls });
      });
      const page = `${addressOf(site)}/?from=mail`;
      const form = await (await browser.open(page)).text();
      const [, returnTo = ""] = /name="return_to" value="([^"]+)"/.exec(form) ?? [];
      const fields = { login: "bob", password: "correct horse battery", return_to: returnTo.replaceAll("&#38;", "&") };
      const signedIn = await browser.submit("/sign-in", fields);
      expect(signedIn.headers.get("set-cookie")).toContain("; Secure");
      const [, next = ""] = /url=(.*)$/.exec(signedIn.headers.get("refresh") ?? "") ?? [];
      const opened = await browser.open(next);
      expect([opened.url, await opened.text()]).toEqual([page, "<h1>the secret diary</h1>"]);
    });

    test("the web server answers unknown methods, and goes on serving", async () => {
      const ask = (method: string) => statusOf(["--http1.1", "-X", method]);
      const refused = [await ask("FOO"), await ask("VERSION-CONTROL"), await ask("get")];
      const visits: string[] = [];
      while (visits.length < 6) visits.push(await ask("GET"));
      // nginx itself refuses lower case.
      const lowerCase = program === "nginx" ? "400" : "501";
      expect({ refused, visits }).toEqual({ refused: ["501", "501", lowerCase], visits: Array(6).fill("200") });
    });

    test.each(["--http1.1", "--http2"])("all cookies that Vitrine takes are passed on, over %s", async (version) => {
      const cookies = Array.from({ length: 15 }, (_, at) => `c${at}=${"y".repeat(3900)}`);
      expect(await statusOf([version, "-H", `Cookie: ${cookies.join("; ")}`])).toBe("200");
    });
  });
}
