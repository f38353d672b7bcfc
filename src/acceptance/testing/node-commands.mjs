// Runs commands of the npm package in one process of Node.js, because starting Node.js for each takes ten times as long.
// Usage: node node-commands.mjs PROGRAM. Receives { args, env }, and answers { status, stdout, stderr }.
import { pathToFileURL } from "node:url";

const program = pathToFileURL(process.argv[2]).href;
// The program listens to errors of both streams, each time.
for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0);

let runs = 0;
process.on("message", async ({ args, env }) => {
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)];
  Object.assign(process.env, env);
  process.argv = [process.argv[0], program, ...args];
  // Another query makes it another module, so that it runs again.
  await import(`${program}?run=${runs++}`);
  process.send({ status: process.exitCode, stdout: stdout.join(""), stderr: stderr.join("") });
  process.exitCode = 0;
});

/** Returns what is written to the stream from now on. */
function captured(stream) {
  const written = [];
  stream.write = (text) => written.push(text) > 0;
  return written;
}
