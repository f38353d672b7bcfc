import { afterAll, expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Browser } from "playwright-core";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { PATIENCE_MS, startChromium } from "./testing/chromium.ts";
import { run, type ServingProcess, scratchFolder, signUp, startProcess } from "./testing/executable.ts";

// The web servers run with the configuration in docs/operating.md. Only ports and certificate files differ.

const BASE = "pages.example.org";
const GUIDE = readFileSync(join(import.meta.dir, "..", "..", "docs", "operating.md"), "utf8");
const folder = scratchFolder();
const certificate = join(folder.path, "certificate.pem");
const key = join(folder.path, "key.pem");
afterAll(() => folder[Symbol.dispose]());

needing("openssl").beforeAll(async () => {
  const names = `DNS:${BASE},DNS:*.${BASE}`;
  await Bun.$`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=${BASE} -addext subjectAltName=${names} -keyout ${key} -out ${certificate}`.quiet();
});

interface Ports {
  readonly front: number;
  readonly back: number;
}

/** Returns the first code block after a heading of the guide. */
function guide(heading: string): string {
  const [, block] = new RegExp(`\\*\\*${heading}\\*\\*\\n\\n\`\`\`\\w*\\n(.*?)\`\`\``, "s").exec(GUIDE) ?? [];
  if (!block) throw new Error(`the guide has nothing about ${heading}`);
  return block;
}

/** Replaces lines of the guide. Throws if one is missing. */
function adapted(lines: string, changes: readonly (readonly [from: string | RegExp, to: string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (text.replace(from, to) === text) throw new Error(`the guide has no ${from}`);
    return text.replace(from, to);
  }, lines);
}

function startNginx({ front, back }: Ports): Subprocess {
  const home = join(folder.path, "nginx");
  mkdirSync(home);
  const server = adapted(guide("nginx"), [
    ["listen 443", `listen 127.0.0.1:${front}`],
    ["/etc/ssl/pages.pem", `"${certificate}"`],
    ["/etc/ssl/pages.key", `"${key}"`],
    ["127.0.0.1:8080", `127.0.0.1:${back}`],
  ]);
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path "${home}/${name}";`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const around = `${user} daemon off; pid "${home}/pid"; events {} http { access_log off; ${places.join(" ")}\n`;
  writeFileSync(join(home, "nginx.conf"), `${around}${server}}\n`);
  return Bun.spawn(["nginx", "-p", home, "-c", join(home, "nginx.conf"), "-e", join(home, "error.log")]);
}

function startCaddy({ front, back }: Ports): Subprocess {
  const home = join(folder.path, "caddy");
  mkdirSync(home);
  const site = adapted(guide("Caddy"), [
    [/tls \{.*?\n {2}\}/s, `tls "${certificate}" "${key}"`],
    ["127.0.0.1:8080", `127.0.0.1:${back}`],
  ]);
  const settings = ["admin off", `https_port ${front}`, "auto_https disable_redirects", "default_bind 127.0.0.1"];
  writeFileSync(join(home, "Caddyfile"), `{\n${settings.join("\n")}\n}\n${site}`);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  return Bun.spawn(["caddy", "run", "--config", join(home, "Caddyfile")], { env, stderr: "ignore" });
}

const PROXIES = [
  ["nginx", "nginx", startNginx],
  ["caddy", "Caddy", startCaddy],
] as const;

for (const [program, name, startProxy] of PROXIES) {
  const { afterAll, beforeAll, describe, test } = needing(program, "curl", "openssl", "browser", "loopback");
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
      proxy = startProxy(ports);
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
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "the secret diary", exact: true }).waitFor();
      expect(page.url()).toBe(`https://diary.${BASE}:${ports.front}/?from=mail`);
    });
  });
}
