// Builds the executables of a release for every supported system, and their checksums:
//   node scripts/with-bun.mjs scripts/release.ts [TARGET ...] into dist/release/
// The runtimes of the other systems come from npm, where Bun publishes them.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";

const root = join(import.meta.dir, "..");
const folder = join(root, "dist", "release");

/** The name that install.sh downloads → the target that Bun builds. */
const TARGETS: Readonly<Record<string, string>> = {
  "linux-x64": "bun-linux-x64-baseline",
  "linux-x64-musl": "bun-linux-x64-musl-baseline",
  "linux-arm64": "bun-linux-arm64",
  "linux-arm64-musl": "bun-linux-arm64-musl",
  "darwin-x64": "bun-darwin-x64-baseline",
  "darwin-arm64": "bun-darwin-arm64",
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TARGETS);
const unknown = wanted.filter((name) => !(name in TARGETS));
if (unknown.length > 0) {
  console.error(`unknown target ${unknown.join(", ")}; there are ${Object.keys(TARGETS).join(", ")}`);
  process.exit(2);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of wanted) {
  const outfile = join(folder, `vitrine-${name}`);
  await $`${process.execPath} scripts/build.ts --target=${TARGETS[name]} --outfile=${outfile}`.cwd(root);
}

// The form that `sha256sum --check` reads.
const sums = await Promise.all(
  readdirSync(folder)
    .sort()
    .map(async (name) => {
      const digest = new Bun.CryptoHasher("sha256").update(await Bun.file(join(folder, name)).bytes()).digest("hex");
      return `${digest}  ${name}\n`;
    }),
);
await Bun.write(join(folder, "SHA256SUMS"), sums.join(""));
console.error(`Built ${wanted.length} executables into ${folder}`);
