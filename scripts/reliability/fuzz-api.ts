// Sends the API valid, nearly valid and hostile requests, generated from its OpenAPI document. Fails for every response
// that the document does not describe, 500 in particular.
//   node scripts/with-bun.mjs scripts/reliability/fuzz-api.ts [REQUESTS; default 20000] [SEED; default: the time]
import { fuzzApi, readDocument } from "../../src/acceptance/testing/api-fuzz.ts";
import { startFuzzWorld } from "../../src/acceptance/testing/fuzz-world.ts";

const wanted = Number(process.argv[2] ?? 20_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);

await using world = await startFuzzWorld();
const { operations } = await readDocument(world);
const started = performance.now();
const result = await fuzzApi(world, Math.ceil(wanted / operations.length), seed);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(JSON.stringify({ seed, operations: operations.length, seconds, ...result }, null, 2));
process.exitCode = result.failures.length === 0 ? 0 : 1;
