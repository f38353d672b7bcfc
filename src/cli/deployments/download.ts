import { createWriteStream, rmSync } from "node:fs";
import { lstat, realpath, rename, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { path, reach } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { Failure } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes } from "../terminal/units.ts";
import type { ClientOptions } from "../verb.ts";
import { deploymentNumber } from "./deployment-number.ts";

/** Saves a deployment as a ZIP; a download that breaks off leaves the file that was there before. */
export async function run(
  terminal: Terminal,
  site: string,
  number: string,
  file: string,
  options: ClientOptions,
): Promise<void> {
  const wanted = deploymentNumber(number);
  const client = await connect(terminal, options);
  const response = await client.request("GET", path`/sites/${site}/deployments/${wanted}/archive`);
  if (!response.body) throw new Failure(`${client.server} sent an empty answer.`, "Try again.");
  if (file === "-") return print(received(client.server, response.body, () => {}));
  let size = 0;
  const content = received(client.server, response.body, (bytes) => {
    size += bytes;
    terminal.status(`Downloading ${formatBytes(size)}`);
  });
  await save(content, file);
  terminal.say(`${terminal.style.green("✓")} Saved deployment ${wanted} of ${site} as ${file} (${formatBytes(size)}).`);
}

// --- internal ---

/** Yields what the server sends; rejects with a `Failure` when it breaks off, which is no fault of the disk. */
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
    // A stream that broke off answers this with its error once more.
    await reader.cancel().catch(() => {});
  }
}

/** Waits for each write, so that a fast network does not fill the memory; one that fails ends the process. */
async function print(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of content) {
    await new Promise<void>((resolve) => process.stdout.write(chunk, (error) => !error && resolve()));
  }
}

async function save(content: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  try {
    const replaced = await replaceable(file);
    if (replaced === null) await pipeline(content, createWriteStream(file));
    else await replace(replaced, content);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${file} could not be saved: ${(error as Error).message}`, "Check the disk, and try again.");
  }
}

/**
 * Returns the path of the regular file that is or will be there. Null for anything else, such as a device or a named
 * pipe: another file must not take its place, it is written into.
 */
async function replaceable(file: string): Promise<string | null> {
  const named = await lstat(file).catch(() => null);
  if (named === null) return file;
  const meant = await stat(file).catch(() => null);
  return meant?.isFile() ? await realpath(file) : null;
}

const ENDING = ["SIGINT", "SIGTERM"] as const;

/** Puts the content in the place of a file, whole or not at all. */
async function replace(file: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const temporary = `${file}.${process.pid}.part`;
  const remove = () => rmSync(temporary, { force: true });
  const end = (signal: NodeJS.Signals) => {
    remove();
    // Without its listener the signal ends the process, as whoever waits for it expects.
    for (const one of ENDING) process.off(one, end);
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING) process.on(signal, end);
  try {
    await pipeline(content, createWriteStream(temporary));
    await rename(temporary, file);
  } finally {
    remove();
    for (const signal of ENDING) process.off(signal, end);
  }
}
