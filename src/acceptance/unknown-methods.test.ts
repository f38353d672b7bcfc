import { afterAll, expect } from "bun:test";
import { join } from "node:path";
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

// Bun closes a connection without an answer when it reads a method that it does not know. A web server that takes this
// for a failed server would stop passing anything on. Each one knows Vitrine by two addresses.

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
  const { test } = needing(program, "curl", "openssl", "loopback");

  test(`${name} answers unknown methods itself, and goes on serving`, async () => {
    const port = freePort();
    const ask = async (method: string): Promise<string> => {
      const way = ["-sk", "--http1.1", "--connect-to", `::127.0.0.1:${port}`, "-o", "/dev/null", "-w", "%{http_code}"];
      return Bun.$`curl ${way} -X ${method} https://${BASE}:${port}/health`.nothrow().text();
    };
    const back = ["127.0.0.1", "127.0.0.2"].map((address) => `${address}:${vitrine.config.listen.port}`);
    const web = start({ home: join(folder.path, name.replaceAll(" ", "-")), certificate, key, port, back });
    try {
      while ((await ask("GET")) !== "200") {
        if (web.exitCode !== null) throw new Error(`${name} ended with ${web.exitCode}`);
        await Bun.sleep(20);
      }
      const refused = [await ask("FOO"), await ask("VERSION-CONTROL"), await ask("get")];
      const visits: string[] = [];
      while (visits.length < 6) visits.push(await ask("GET"));
      // nginx itself refuses lower case.
      const lowerCase = program === "nginx" ? "400" : "501";
      expect({ refused, visits }).toEqual({ refused: ["501", "501", lowerCase], visits: Array(6).fill("200") });
    } finally {
      web.kill("SIGTERM");
      await web.exited;
    }
  });
}
