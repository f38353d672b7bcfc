import { afterAll, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Browser } from "playwright-core";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { PATIENCE_MS, startChromium } from "./testing/chromium.ts";
import { run, type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";
import { BASE, makeCertificate, startCaddy, startHaproxy, startNginx } from "./testing/web-servers.ts";

const folder = scratchFolder();
const certificate = join(folder.path, "certificate.pem");
const key = join(folder.path, "key.pem");
afterAll(() => folder[Symbol.dispose]());

needing("openssl").beforeAll(() => makeCertificate(certificate, key));

const PROXIES = [
  ["nginx", startNginx],
  ["caddy", startCaddy],
  ["haproxy", startHaproxy],
] as const;

for (const [name, startProxy] of PROXIES) {
  const { afterAll, beforeAll, describe, test } = needing(name, "curl", "openssl", "browser", "loopback");
  describe(`behind ${name}, configured as in the guide`, () => {
    const ports = { front: freePort(), back: freePort() };
    const dataDir = join(folder.path, `data-${name}`);
    let server: ServingProcess;
    let proxy: Subprocess;
    let browser: Browser;
    let token: string;

    beforeAll(async () => {
      token = await signUp(dataDir, "ada");
      server = await startProcess(dataDir, [
        ...["--listen", `127.0.0.1:${ports.back}`, "--base-url", `https://${BASE}:${ports.front}`],
        ...["--trusted-proxies", "127.0.0.1/32", "--log", "json"],
      ]);
      const back = [`127.0.0.1:${ports.back}`];
      proxy = startProxy({ home: join(folder.path, name), certificate, key, port: ports.front, back });
      while ((await curl("/health")) !== '{"status":"ok"}') {
        if (proxy.exitCode !== null) throw new Error(`${name} ended with ${proxy.exitCode}`);
        await Bun.sleep(20);
      }
    });
    afterAll(async () => {
      await browser?.close();
      server?.process.kill("SIGKILL");
      // SIGKILL would leave nginx's worker behind.
      proxy?.kill("SIGTERM");
      await Promise.all([proxy?.exited, server?.process.exited]);
    });

    /** Requests through the web server from another address, so that the visitor is not taken for the proxy. */
    async function curl(path: string, args: readonly string[] = [], host: string = BASE): Promise<string> {
      const way = ["-sk", "--interface", "127.0.0.9", "--connect-to", `::127.0.0.1:${ports.front}`];
      return Bun.$`curl ${way} ${args} https://${host}:${ports.front}${path}`.nothrow().text();
    }

    const deploy = (site: string, archive: string, access: string) => {
      const headers = [`Authorization: Bearer ${token}`, `X-Service-Site: ${site}`, `X-Service-Access: ${access}`];
      const form = ["-F", `file=@${archive}`, "-o", join(folder.path, "answer"), "-w", "%{http_code}"];
      return curl("/deploy", [...headers.flatMap((header) => ["-H", header]), ...form]);
    };

    test("a large site is uploaded, and visited at its host", async () => {
      const archive = join(folder.path, `${name}.zip`);
      const big = new Uint8Array(20_000_000);
      for (let at = 0; at < big.length; at += 65_536) crypto.getRandomValues(big.subarray(at, at + 65_536));
      writeFileSync(archive, await zipOf({ "index.html": "<h1>demo</h1>", "big.bin": big }));
      expect(await deploy("demo", archive, "")).toBe("201");
      expect(JSON.parse(readFileSync(join(folder.path, "answer"), "utf8"))).toMatchObject({
        url: `https://demo.${BASE}:${ports.front}`,
      });
      expect(await curl("/", [], `demo.${BASE}`)).toBe("<h1>demo</h1>");
      expect(await curl("/", ["-o", "/dev/null", "-w", "%{http_version}"], `demo.${BASE}`)).toBe("2");
      const part = ["-r", "100-199", "-o", "/dev/null", "-w", "%{http_code} %{size_download}"];
      expect(await curl("/big.bin", part, `demo.${BASE}`)).toBe("206 100");
    });

    test("the log has the visitor's address, not a forged one", async () => {
      await curl("/visited", ["-H", "X-Forwarded-For: 198.51.100.7"], `demo.${BASE}`);
      while (!server.said().includes("/visited")) await Bun.sleep(20);
      const line = server
        .said()
        .split("\n")
        .find((text) => text.includes("/visited")) as string;
      expect(line).toContain('"127.0.0.9"');
      expect(line).not.toContain("198.51.100.7");
    });

    test("a reader signs in and reads a private site", async () => {
      const archive = join(folder.path, `${name}-diary.zip`);
      writeFileSync(archive, await zipOf({ "index.html": "<h1>the secret diary</h1>" }));
      expect(await deploy("diary", archive, "private")).toBe("201");
      expect(await curl("/", [], `diary.${BASE}`)).not.toContain("secret diary");
      const password = { input: "correct horse battery\n" };
      await run(["users", "add", "bob", "--password-stdin", "--data-dir", dataDir], password);
      const reader = ["-H", `Authorization: Bearer ${token}`, "--json", '{"provider_login":"bob"}'];
      expect(await curl("/sites/diary/access/readers", reader)).toContain("bob");

      browser = await startChromium("MAP * 127.0.0.1");
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`https://diary.${BASE}:${ports.front}/?from=mail`);
      await page.getByLabel("Login").fill("bob");
      await page.getByLabel("Password").fill("correct horse battery");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "the secret diary", exact: true }).waitFor();
      expect(page.url()).toBe(`https://diary.${BASE}:${ports.front}/?from=mail`);
    });
  });
}
