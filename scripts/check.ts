// Format, lint and types. `npm run check` reports problems; `npm run format` (--write) fixes what can be fixed
// automatically.
import { $ } from "bun";

const write = process.argv.includes("--write");
const bin = `${import.meta.dir}/../node_modules/.bin`;

const biome = await $`${bin}/biome check ${write ? ["--write"] : []} --error-on-warnings`
  .cwd(`${import.meta.dir}/..`)
  .nothrow();
// Several checkers infer the same types again, and frequent garbage collection adds half: together they double the CPU
// time, which the tests need meanwhile.
const typed = { ...process.env, GOGC: "400" };
const types = await $`${bin}/tsc --checkers 1`
  .cwd(`${import.meta.dir}/..`)
  .env(typed)
  .nothrow();
const pageTypes = await $`${bin}/tsc --checkers 1 -p public`
  .cwd(`${import.meta.dir}/..`)
  .env(typed)
  .nothrow();
process.exit(biome.exitCode || types.exitCode || pageTypes.exitCode);
