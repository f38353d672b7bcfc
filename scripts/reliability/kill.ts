// Kills the executable at random instants under deployments, activations, deletions and checks of claimed hostnames,
// and compares what is there afterwards with what was answered.
//   node scripts/with-bun.mjs scripts/reliability/kill.ts [INSTANTS, 1000 unless told]
import { killAtRandomInstants } from "../../src/acceptance/testing/kill.ts";

const instants = Number(process.argv[2] ?? 1000);
const started = performance.now();
const { complaints, ...figures } = await killAtRandomInstants(instants, {
  progress: (done) => done % 50 === 0 && console.error(`${done} instants`),
});
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ ...figures, seconds, complaints }, null, 2));
process.exit(complaints.length === 0 ? 0 : 1);
