// Kills the executable at random instants during deployments, activations, deletions and checks of claims. Compares the
// state afterwards with the responses.
//   node scripts/with-bun.mjs scripts/reliability/kill.ts [INSTANTS; default 1000]
import { killAtRandomInstants } from "../../src/acceptance/testing/kill.ts";

const instants = Number(process.argv[2] ?? 1000);
const started = performance.now();
const { failures, ...figures } = await killAtRandomInstants(instants, {
  progress: (done) => done % 50 === 0 && console.error(`${done} instants`),
});
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ ...figures, seconds, failures }, null, 2));
process.exit(failures.length === 0 ? 0 : 1);
