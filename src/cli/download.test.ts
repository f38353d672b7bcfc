import { beforeEach, describe, expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { lstat, readdir, readlink, symlink, watch } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Socket } from "bun";
import { needing } from "../testing/needing.ts";
import { spawnToEnd } from "../testing/spawn-to-end.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { PROGRAM } from "./testing/program-command.ts";
import { runCli } from "./testing/run-cli.ts";
import { stubServer } from "./testing/stub-server.ts";

const ARCHIVE = "GET /sites/demo/deployments/1/archive";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const download = (server: string, file: string) => ["deployments", "download", "demo", "1", file, "--server", server];

function save(server: string, file: string) {
  return runCli(download(server, file), { VITRINE_TOKEN: "t", XDG_CONFIG_HOME: folder });
}

/** Runs the program in a shell; `"$@"` is the download command. */
function shell(script: string, server: string, file: string) {
  const env = { PATH: process.env.PATH ?? "", VITRINE_TOKEN: "t", XDG_CONFIG_HOME: folder };
  return spawnToEnd(["sh", "-c", script, "sh", ...PROGRAM, ...download(server, file)], { env });
}

/** Starts a response, then closes the connection or stops sending. */
function halfAResponse(then: "breaks off" | "hangs") {
  const sockets: Socket[] = [];
  const beginning = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(beginning);
        sockets.push(socket);
        if (then === "breaks off") socket.end();
      },
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}`,
    finish() {
      for (const socket of sockets) socket.write("0\r\n\r\n");
    },
    [Symbol.dispose]: () => listener.stop(true),
  };
}

/** Starts the program, and returns once it writes to the temporary file. */
async function begun(args: readonly string[], within: readonly string[] = []) {
  const created = watch(folder)[Symbol.asyncIterator]().next();
  const child = Bun.spawn([...within, ...PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "", VITRINE_TOKEN: "t", XDG_CONFIG_HOME: folder },
    stderr: "ignore",
  });
  expect((await created).value).toMatchObject({ filename: `x.zip.${child.pid}.part` });
  return child;
}

describe("a destination", () => {
  test("is replaced if it is a regular file", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const file = join(folder, "x.zip");
    await Bun.write(file, "what was there before");
    expect(await save(server.url, file)).toMatchObject({ status: 0, stderr: expect.stringContaining("(3 bytes)") });
    expect([await Bun.file(file).text(), await readdir(folder)]).toEqual(["new", ["x.zip"]]);
  });

  test.each(["there", "not there yet"])("is written through if it is a link, %s", async (state) => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const [file, link] = [join(folder, "x.zip"), join(folder, "latest.zip")];
    if (state === "there") await Bun.write(file, "what was there before");
    await symlink("x.zip", link);
    expect((await save(server.url, link)).status).toBe(0);
    expect([await readlink(link), await Bun.file(file).text()]).toEqual(["x.zip", "new"]);
    expect(await readdir(folder)).toHaveLength(2);
  });

  test("stays a broken link when the server aborts", async () => {
    using server = halfAResponse("breaks off");
    const link = join(folder, "latest.zip");
    await symlink("x.zip", link);
    expect((await save(server.url, link)).status).toBe(1);
    expect([await readlink(link), await readdir(folder)]).toEqual(["x.zip", ["latest.zip"]]);
  });

  test("is refused if its links form a circle", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const link = join(folder, "latest.zip");
    await symlink("latest.zip", link);
    expect((await save(server.url, link)).stderr).toContain(`${link} could not be saved: ELOOP`);
  });

  test.each(["pipe", "link"])("is written to if it is a named pipe: %s", async (name) => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    await Bun.$`mkfifo pipe && ln -s pipe link`.cwd(folder);
    await using reader = Bun.spawn(["cat", join(folder, "pipe")]);
    const read = new Response(reader.stdout).text();
    const saved = await save(server.url, join(folder, name));
    expect((await lstat(join(folder, "pipe"))).isFIFO()).toBe(true);
    expect([saved.status, await read]).toEqual([0, "new"]);
  });

  test("stays unchanged if it is a folder", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    expect(await save(server.url, folder)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${folder} could not be saved: EISDIR`),
    });
  });

  test.each(["x.zip/", "latest.zip"])("that ends like a folder is not created as a file: %s", async (name) => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    await symlink("x.zip/", join(folder, "latest.zip"));
    expect(await save(server.url, join(folder, name))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${join(folder, name)} could not be saved: ENOENT`),
    });
    expect([await readdir(folder), server.requested]).toEqual([["latest.zip"], []]);
  });

  test("in a folder that does not exist is refused before anything is requested", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const { status, stderr } = await save(server.url, join(folder, "gone/x.zip"));
    expect([status, server.requested]).toEqual([1, []]);
    expect(stderr).toContain(`there is no folder ${join(folder, "gone")}\nCreate it, or name another file.`);
  });

  test("is required", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    expect(await save(server.url, "")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Give a file to write"),
    });
    expect(server.requested).toEqual([]);
  });

  test("stays unchanged when the server aborts, with an explanation", async () => {
    using server = halfAResponse("breaks off");
    const file = join(folder, "x.zip");
    await Bun.write(file, "what was there before");
    expect(await save(server.url, file)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: http:\/\/127\.0\.0\.1:\d+ closed the connection\nTry again/),
    });
    expect([await Bun.file(file).text(), await readdir(folder)]).toEqual(["what was there before", ["x.zip"]]);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("stays unchanged after %s, without leftovers", async (signal) => {
    using server = halfAResponse("hangs");
    const file = join(folder, "x.zip");
    await Bun.write(file, "what was there before");
    const child = await begun(download(server.url, file));
    child.kill(signal);
    await child.exited;
    expect(child.signalCode).toBe(signal);
    expect([await Bun.file(file).text(), await readdir(folder)]).toEqual(["what was there before", ["x.zip"]]);
  });

  test("is saved under nohup even if the terminal is gone", async () => {
    using server = halfAResponse("hangs");
    const file = join(folder, "x.zip");
    const child = await begun(download(server.url, file), ["sh", "-c", `trap "" HUP; exec "$@"`, "sh"]);
    child.kill("SIGHUP");
    server.finish();
    expect([await child.exited, await Bun.file(file).text()]).toEqual([0, "hello"]);
  });
});

needing("proc").describe("an open descriptor", () => {
  test.each([
    ["/dev/stdout", '"$@"'],
    ["/proc/self/fd/1", '"$@"'],
    ["/proc/thread-self/fd/1", '"$@"'],
    ["link", '"$@"'],
    ["/dev/fd/3", '"$@" 3>&1'],
  ])("%s is written to, and its target is not replaced", async (name, command) => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    await symlink("/dev/stdout", join(folder, "link"));
    const file = join(folder, "all.bin");
    await Bun.write(file, "precious ");
    const written = await shell(`{ ${command}; printf ' last'; } >> '${file}'`, server.url, resolve(folder, name));
    expect([written.status, await Bun.file(file).text()]).toEqual([0, "precious new last"]);
    expect((await readdir(folder)).toSorted()).toEqual(["all.bin", "link"]);
  });

  test("of another process is not truncated", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("new") });
    const file = join(folder, "all.bin");
    await Bun.write(file, "precious ");
    const held = openSync(file, "a");
    expect((await save(server.url, `/proc/${process.pid}/fd/${held}`)).status).toBe(0);
    closeSync(held);
    expect(await Bun.file(file).text()).toBe("precious new");
  });
});

describe("a download to stdout", () => {
  test("prints the archive only", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("x".repeat(3_000_000)) });
    const { stdout, stderr, status } = await shell('"$@"', server.url, "-");
    expect({ length: stdout.length, stderr, status }).toEqual({ length: 3_000_000, stderr: "", status: 0 });
  });

  test("is no failure if the reader closes the pipe early", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("x".repeat(3_000_000)) });
    const script = '{ "$@"; echo "status $?" >&2; } | head -c 5';
    expect(await shell(script, server.url, "-")).toEqual({ stdout: "xxxxx", stderr: "status 0\n", status: 0 });
  });

  needing("/dev/full").test("reports a full disk in a sentence", async () => {
    await using server = stubServer({ [ARCHIVE]: new Response("x".repeat(3_000_000)) });
    expect(await shell('"$@" > /dev/full', server.url, "-")).toEqual({
      stdout: "",
      stderr: "error: the output cannot be written (ENOSPC).\n",
      status: 1,
    });
  });

  test("reports an aborted response in a sentence", async () => {
    using server = halfAResponse("breaks off");
    const { stderr, status } = await shell('"$@"', server.url, "-");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: .* closed the connection\nTry again.*\n$/)]);
  });
});
