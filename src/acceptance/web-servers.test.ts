import { afterAll, expect } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { scratchFolder } from "./testing/executable.ts";
import { startTestServer, type TestServer } from "./testing/test-server.ts";
import {
  BASE,
  makeCertificate,
  startCaddy,
  startCaddyOfCompose,
  startHaproxy,
  startNginx,
} from "./testing/web-servers.ts";

// Web servers in front of Vitrine, with the configurations that the repository has and shows. Each one knows Vitrine by
// two addresses. Bun closes a connection without a response when it reads a method that it does not know; a web server
// that takes this for a failed server would stop passing anything on.

const folder = scratchFolder();
const certificate = join(folder.path, "certificate.pem");
const key = join(folder.path, "key.pem");
let vitrine: TestServer;

needing("openssl", "loopback").beforeAll(async () => {
  await makeCertificate(certificate, key);
  vitrine = await startTestServer({ "base-url": `https://${BASE}`, listen: `0.0.0.0:${freePort()}` });
});
afterAll(async () => {
  await vitrine?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const CONFIGURATIONS = [
  ["nginx", "nginx of the guide", startNginx],
  ["caddy", "Caddy of the guide", startCaddy],
  ["caddy", "Caddy of compose.proxy.yaml", startCaddyOfCompose],
  ["haproxy", "haproxy.cfg", startHaproxy],
] as const;

for (const [program, name, start] of CONFIGURATIONS) {
  const { afterAll, beforeAll, describe, test } = needing(program, "curl", "openssl", "loopback");

  describe(name, () => {
    const port = freePort();
    let web: Subprocess;

    beforeAll(async () => {
      const back = ["127.0.0.1", "127.0.0.2"].map((address) => `${address}:${vitrine.config.listen.port}`);
      web = start({ home: join(folder.path, name.replaceAll(" ", "-")), certificate, key, port, back });
      while ((await ask("GET")) !== "200") {
        if (web.exitCode !== null) throw new Error(`${name} ended with ${web.exitCode}`);
        await Bun.sleep(20);
      }
    });
    afterAll(async () => {
      web?.kill("SIGTERM");
      await web?.exited;
    });

    /** Requests a page through the web server, and returns the status. */
    async function ask(method: string, args: readonly string[] = ["--http1.1"]): Promise<string> {
      const way = ["-sk", "--connect-to", `::127.0.0.1:${port}`, "-o", "/dev/null", "-w", "%{http_code}"];
      return Bun.$`curl ${way} ${args} -X ${method} https://${BASE}:${port}/health`.nothrow().text();
    }

    test("answers unknown methods itself, and goes on serving", async () => {
      const refused = [await ask("FOO"), await ask("VERSION-CONTROL"), await ask("get")];
      const visits: string[] = [];
      while (visits.length < 6) visits.push(await ask("GET"));
      // nginx itself refuses lower case.
      const lowerCase = program === "nginx" ? "400" : "501";
      expect({ refused, visits }).toEqual({ refused: ["501", "501", lowerCase], visits: Array(6).fill("200") });
    });

    test.each(["--http1.1", "--http2"])("passes all cookies on that Vitrine takes, over %s", async (version) => {
      const cookies = Array.from({ length: 15 }, (_, at) => `c${at}=${"y".repeat(3900)}`);
      expect(await ask("GET", [version, "-H", `Cookie: ${cookies.join("; ")}`])).toBe("200");
    });
  });
}
