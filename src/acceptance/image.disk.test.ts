import { expect } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import packageJson from "../../package.json" with { type: "json" };
import { freePort } from "../testing/free-port.ts";
import { needing } from "../testing/needing.ts";
import { zipOf } from "./testing/archives.ts";
import { Browser } from "./testing/browser.ts";
import { scratchFolder } from "./testing/executable.ts";
import { halfAnUpload } from "./testing/half-an-upload.ts";
import { buildImage, type Container, type Image, runImage } from "./testing/image.ts";

// Builds the Dockerfile's image with buildah and runs it like a container runtime.

const { afterAll, afterEach, beforeAll, test } = needing("buildah", "image system", "disk", "another user");

const USER = 65532;
const MAX_BYTES = 160_000_000;
/** Docker asks three times before it calls a container unhealthy. */
const MAX_CHECKS = 3;

const folder = scratchFolder();
const started: Container[] = [];
let image: Image;

beforeAll(async () => {
  image = await buildImage(folder.path);
});
afterEach(async () => {
  for (const container of started.splice(0)) await container.kill();
});
afterAll(() => folder[Symbol.dispose]());

/** Creates an empty volume that belongs to the image's user. */
function makeVolume(name: string): string {
  const volume = join(folder.path, name);
  mkdirSync(volume, { mode: 0o700 });
  chownSync(volume, USER, USER);
  return volume;
}

function start(volume: string, port = freePort()) {
  const container = runImage(image, volume, { VITRINE_LISTEN: `127.0.0.1:${port}`, VITRINE_WORKERS: "1" });
  started.push(container);
  const baseUrl = `http://localhost:${port}`;
  const visit = (label: string, path = "/") =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { Host: `${label}localhost:${port}` } });
  return { ...container, port, baseUrl, visit, serves: () => container.says(`Vitrine is running at ${baseUrl}`) };
}

test("it is small, contains only the executable, and has labels", () => {
  expect(image.bytes).toBeLessThanOrEqual(MAX_BYTES);
  const { User, Labels, Volumes, Healthcheck, Entrypoint, StopSignal } = image.config;
  expect({ User, Volumes, Healthcheck: Healthcheck.Test, Entrypoint, StopSignal }).toEqual({
    User: `${USER}:${USER}`,
    Volumes: { "/data": {} },
    Healthcheck: ["CMD", "vitrine", "doctor", "--health"],
    Entrypoint: ["vitrine"],
    StopSignal: "SIGTERM",
  });
  expect(Labels).toMatchObject({
    "org.opencontainers.image.title": "Vitrine",
    "org.opencontainers.image.licenses": packageJson.license,
    "org.opencontainers.image.version": packageJson.version,
    "org.opencontainers.image.revision": expect.any(String),
  });
  const files = [...new Glob("**/*").scanSync({ cwd: image.root, dot: true })].filter(
    (file) => !/^(proc|dev)\//.test(file),
  );
  const isProgram = (file: string) => (statSync(join(image.root, file)).mode & 0o111) !== 0;
  expect(files.filter((file) => isProgram(file) && !/\.so(\.|$)/.test(file))).toEqual(["usr/local/bin/vitrine"]);
  expect(readFileSync(join(image.root, "etc/ssl/certs/ca-certificates.crt"), "utf8")).toContain("BEGIN CERTIFICATE");
  expect(files).toContain("usr/share/zoneinfo/Europe/Berlin");
});

test("it serves a site after set-up, drains, restarts with its data, and runs commands", async () => {
  const volume = makeVolume("volume");
  const first = start(volume);
  const [link = ""] = /http:\S+setup\S+/.exec(await first.says("or with: ")) ?? [];
  const browser = new Browser(first.baseUrl);
  const account = { login: "ada", name: "Ada", password: "correct horse battery" };
  expect((await browser.submit(link, account)).status).toBe(200);
  await expectHealthy(first);
  expect(await first.exec("vitrine", "users", "add", "grace")).toMatchObject({ status: 0 });
  const { stdout: token } = await first.exec("vitrine", "users", "session", "ada");

  const server = { port: first.port, dataDir: volume, token: token.trim() };
  const upload = await halfAnUpload(server, await zipOf({ "index.html": "made it" }));
  expect((await first.visit("", "/ready")).status).toBe(200);
  first.stop();
  await first.says("Received SIGTERM: finishing running requests");
  await upload.finish();
  expect(await upload.response).toStartWith("HTTP/1.1 201");
  expect(await first.process.exited).toBe(0);

  const next = start(volume, first.port);
  await next.serves();
  expect(await (await next.visit("drained.")).text()).toBe("made it");
  expect((await next.exec("vitrine", "users", "list")).stdout).toMatch(/ada.*grace/s);
  expect((await next.exec("vitrine", "verify")).status).toBe(0);
});

test("a bind mount of another user is refused with one line that explains the fix", async () => {
  const mount = join(folder.path, "of-root");
  mkdirSync(mount);
  chmodSync(mount, 0o755);
  const container = start(mount);
  expect(await container.process.exited).toBe(1);
  expect(await container.says("\n")).toBe(
    `error: the data folder /data cannot be written: it belongs to uid 0, and vitrine runs as uid ${USER}: run it as that user, or chown -R ${USER} /data (for a container, on the host: the folder that is mounted there)\n`,
  );
});

/** Asks again, as Docker does, because a check gives up after a few seconds, and a busy machine may need more. */
async function expectHealthy(container: ReturnType<typeof start>): Promise<void> {
  let health = await container.exec("vitrine", "doctor", "--health");
  for (let check = 1; check < MAX_CHECKS && health.status !== 0; check++) {
    health = await container.exec("vitrine", "doctor", "--health");
  }
  expect(health).toMatchObject({ status: 0 });
}
