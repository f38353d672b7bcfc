import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lstat, mkdtemp, readdir, readlink, rm, symlink, watch } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../testing/run-cli.ts";
import { stubServer } from "../testing/stub-server.ts";

const ARCHIVE = "GET /sites/demo/deployments/1/archive";
const PROGRAM = new URL("../../main.ts", import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-download-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const download = (server: string, file: string) => ["deployments", "download", "demo", "1", file, "--server", server];

function save(server: string, file: string) {
  return runCli(download(server, file), { VITRINE_TOKEN: "t", XDG_CONFIG_HOME: folder });
}

/** Runs the program in a shell: `"$@"` is the download. */
async function shell(script: string, server: string, file: string) {
  const child = Bun.spawn(["sh", "-c", script, "sh", process.execPath, PROGRAM, ...download(server, file)], {
    env: { PATH: process.env.PATH ?? "", VITRINE_TOKEN: "t", XDG_CONFIG_HOME: folder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { stdout, stderr, status: await child.exited };
}

/** Begins an answer, and then breaks the connection off or leaves it at that. */
function halfAnAnswer(then: "breaks off" | "hangs") {
  const beginning = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(beginning);
        if (then === "breaks off") socket.end();
      },
    },
  });
  return { url: `http://127.0.0.1:${listener.port}`, [Symbol.dispose]: () => listener.stop(true) };
}

describe("what has the name of the file", () => {
  test("is replaced where it is a regular file", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const file = join(folder, "x.zip");
    await Bun.write(file, "what was there before");
    expect(await save(server.url, file)).toMatchObject({ status: 0, stderr: expect.stringContaining("(3 B)") });
    expect([await Bun.file(file).text(), await readdir(folder)]).toEqual(["new", ["x.zip"]]);
  });

  test.each(["there", "not there yet"])("stays a link, and the file that it leads to is written, %s", async (state) => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const [file, link] = [join(folder, "x.zip"), join(folder, "latest.zip")];
    if (state === "there") await Bun.write(file, "what was there before");
    await symlink("x.zip", link);
    expect((await save(server.url, link)).status).toBe(0);
    expect([await readlink(link), await Bun.file(file).text()]).toEqual(["x.zip", "new"]);
    expect(await readdir(folder)).toHaveLength(2);
  });

  test.each(["pipe", "link"])("is written into where it is a named pipe: %s", async (name) => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    await Bun.$`mkfifo pipe && ln -s pipe link`.cwd(folder);
    await using reader = Bun.spawn(["cat", join(folder, "pipe")]);
    const read = new Response(reader.stdout).text();
    const saved = await save(server.url, join(folder, name));
    expect((await lstat(join(folder, "pipe"))).isFIFO()).toBe(true);
    expect([saved.status, await read]).toEqual([0, "new"]);
  });

  test("stays where it is a folder", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    expect(await save(server.url, folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${folder} could not be saved: EISDIR`),
    });
  });

  test("stays as it was when the server breaks off, which is told as such", async () => {
    using server = halfAnAnswer("breaks off");
    const file = join(folder, "x.zip");
    await Bun.write(file, "what was there before");
    expect(await save(server.url, file)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: http:\/\/127\.0\.0\.1:\d+ broke the connection off\.\nTry again/),
    });
    expect([await Bun.file(file).text(), await readdir(folder)]).toEqual(["what was there before", ["x.zip"]]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("stays as it was after %s, with nothing beside it", async (signal) => {
    using server = halfAnAnswer("hangs");
    const file = join(folder, "x.zip");
    await Bun.write(file, "what was there before");
    const created = watch(folder)[Symbol.asyncIterator]();
    const begun = created.next();
    const child = Bun.spawn([process.execPath, PROGRAM, ...download(server.url, file)], {
      env: { VITRINE_TOKEN: "t", XDG_CONFIG_HOME: folder },
      stderr: "ignore",
    });
    expect((await begun).value).toMatchObject({ filename: `x.zip.${child.pid}.part` });
    child.kill(signal);
    await child.exited;
    expect(child.signalCode).toBe(signal);
    expect([await Bun.file(file).text(), await readdir(folder)]).toEqual(["what was there before", ["x.zip"]]);
  });
});

describe("on stdout", () => {
  test("is the archive alone", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("x".repeat(3_000_000)) });
    const { stdout, stderr, status } = await shell('"$@"', server.url, "-");
    expect({ length: stdout.length, stderr, status }).toEqual({ length: 3_000_000, stderr: "", status: 0 });
  });

  test("a reader that closes the pipe early is no failure", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("x".repeat(3_000_000)) });
    const script = '{ "$@"; echo "status $?" >&2; } | head -c 5';
    expect(await shell(script, server.url, "-")).toEqual({ stdout: "xxxxx", stderr: "status 0\n", status: 0 });
  });

  test("a full disk is told in a sentence", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("x".repeat(3_000_000)) });
    expect(await shell('"$@" > /dev/full', server.url, "-")).toEqual({
      stdout: "",
      stderr: "error: the output cannot be written (ENOSPC).\n",
      status: 1,
    });
  });

  test("a server that breaks off is told in a sentence", async () => {
    using server = halfAnAnswer("breaks off");
    const { stderr, status } = await shell('"$@"', server.url, "-");
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: .* broke the connection off\.\nTry again.*\n$/),
    ]);
  });
});
