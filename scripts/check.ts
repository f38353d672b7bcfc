// Format, lint and types. `npm run check` reports problems; `npm run format` (--write) fixes what can be fixed
// automatically.
import { $ } from "bun";

const write = process.argv.includes("--write");
const bin = `${import.meta.dir}/../node_modules/.bin`;

const biome = await $`${bin}/biome check ${write ? ["--write"] : []} --error-on-warnings`
  .cwd(`${import.meta.dir}/..`)
  .nothrow();
const types = await $`${bin}/tsc`.cwd(`${import.meta.dir}/..`).nothrow();
const pageTypes = await $`${bin}/tsc -p public`.cwd(`${import.meta.dir}/..`).nothrow();
process.exit(biome.exitCode || types.exitCode || pageTypes.exitCode);
