import { createWriteStream, existsSync, rmSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { constants } from "node:os";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { errorCode, messageOf } from "../domain/error-message.ts";
import { type FileTarget, fileTarget, STDOUT } from "../storage/data-folder/file-target.ts";
import { deploymentNumber } from "./arguments.ts";
import { path, reach } from "./client/client.ts";
import { type ClientOptions, connect } from "./client/connect.ts";
import { Failure, UsageError } from "./terminal/errors.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { formatBytes } from "./terminal/units.ts";

/** Saves a deployment as a ZIP. An interrupted download leaves an existing file unchanged. */
export async function downloadDeployment(
  terminal: Terminal,
  site: string,
  number: string,
  file: string,
  options: ClientOptions,
): Promise<void> {
  const wanted = deploymentNumber(number);
  if (file === "") throw new UsageError('"" is not a file', "Give a file to write, or - for stdout.");
  const target = await saving(file, () => fileTarget(file));
  const client = await connect(terminal, options);
  const response = await client.request("GET", path`/sites/${site}/deployments/${wanted}/archive`);
  if (!response.body) throw new Failure(`${client.server} sent an empty response`, "Try again.");
  if (target.kind === "descriptor" && target.number === STDOUT)
    return print(received(client.server, response.body, () => {}));
  let size = 0;
  const content = received(client.server, response.body, (bytes) => {
    size += bytes;
    terminal.status(`Downloading ${formatBytes(size)}`);
  });
  await saving(file, () => save(content, target));
  terminal.done(`Saved deployment ${wanted} of ${site} as ${file} (${formatBytes(size)}).`);
}

// --- internal ---

/** Yields the response body. Throws a `Failure` if the connection breaks, to distinguish that from a disk error. */
async function* received(
  server: string,
  body: ReadableStream<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reach(server, () => reader.read());
      if (done) return;
      onBytes(value.length);
      yield value;
    }
  } finally {
    // A broken stream rejects with the same error again.
    await reader.cancel().catch(() => {});
  }
}

/** Waits for each write, so that a fast network does not fill the memory. */
async function print(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of content) {
    await new Promise<void>((resolve) => process.stdout.write(chunk, (error) => !error && resolve()));
  }
}

async function saving<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const folder = dirname(file);
    if (errorCode(error) === "ENOENT" && !existsSync(folder))
      throw new Failure(`${file} could not be saved: there is no folder ${folder}`, "Create it, or name another file.");
    throw new Failure(`${file} could not be saved: ${messageOf(error)}`, "Check the disk, and try again.");
  }
}

async function save(content: AsyncIterable<Uint8Array>, target: FileTarget): Promise<void> {
  if (target.kind === "file") return replace(target.path, content);
  const output =
    target.kind === "descriptor"
      ? createWriteStream("", { fd: target.number, autoClose: false })
      : createWriteStream(target.path, { flags: "a" });
  await pipeline(content, output);
}

/** Replaces a file with the content atomically. */
async function replace(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = `${file}.${process.pid}.part`;
  const remove = () => rmSync(temporary, { force: true });
  const ending = await endingSignals();
  const end = (signal: NodeJS.Signals) => {
    remove();
    // Without its listener the signal ends the process, as the parent process expects.
    for (const one of ending) process.off(one, end);
    process.kill(process.pid, signal);
  };
  for (const signal of ending) process.on(signal, end);
  try {
    // Opened first, because a stream destroyed while opening would create the file after its removal.
    const handle = await open(temporary, "w");
    await pipeline(content, handle.createWriteStream());
    await rename(temporary, file);
  } finally {
    remove();
    for (const signal of ending) process.off(signal, end);
  }
}

/** Returns the signals that end this process. Under `nohup` or behind `&` some are ignored, which a listener would undo. */
async function endingSignals(): Promise<NodeJS.Signals[]> {
  const status = await readFile("/proc/self/status", "latin1").catch(() => "");
  const ignored = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? 0}`);
  const isHeard = (signal: NodeJS.Signals) => !((ignored >> BigInt(constants.signals[signal] - 1)) & 1n);
  return (["SIGINT", "SIGTERM", "SIGHUP"] as const).filter(isHeard);
}
