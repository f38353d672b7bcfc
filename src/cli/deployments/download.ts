import { rename, rm } from "node:fs/promises";
import { path } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { Failure } from "../errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { formatBytes } from "../terminal/units.ts";
import type { ClientOptions } from "../verb.ts";
import { deploymentNumber } from "./deployment-number.ts";

/** Saves a deployment as a ZIP; a download that breaks off leaves what was there before. */
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
  if (file === "-") {
    await copy(response.body, Bun.stdout.writer(), () => {});
    return;
  }
  const size = await save(response.body, file, (done) => terminal.status(`Downloading ${formatBytes(done)}`));
  terminal.say(`${terminal.style.green("✓")} Saved deployment ${wanted} of ${site} as ${file} (${formatBytes(size)}).`);
}

async function save(body: ReadableStream<Uint8Array>, file: string, onBytes: (done: number) => void): Promise<number> {
  const temporary = `${file}.${process.pid}.part`;
  try {
    const size = await copy(body, Bun.file(temporary).writer(), onBytes);
    await rename(temporary, file);
    return size;
  } catch (error) {
    await rm(temporary, { force: true });
    throw new Failure(`${file} could not be saved: ${(error as Error).message}`, "Check the disk, and try again.");
  }
}

async function copy(
  body: ReadableStream<Uint8Array>,
  sink: Bun.FileSink,
  onBytes: (done: number) => void,
): Promise<number> {
  let done = 0;
  for await (const chunk of body) {
    sink.write(chunk);
    // Waiting for the disk keeps a fast network from filling the memory.
    await sink.flush();
    done += chunk.length;
    onBytes(done);
  }
  await sink.end();
  return done;
}
