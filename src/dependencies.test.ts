import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import manifest from "../package.json";

const root = join(import.meta.dir, "..");

/** The scripts that a package manager runs while it installs a package. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"];

interface LockedFacts {
  readonly hasInstallScript?: boolean;
}

async function lockedPackages(): Promise<[name: string, facts: LockedFacts][]> {
  const lock = Bun.JSONC.parse(await Bun.file(join(root, "bun.lock")).text()) as {
    packages: Record<string, [id: string, registry: string, facts?: LockedFacts]>;
  };
  return Object.values(lock.packages).map(([id, , facts = {}]) => [id, facts]);
}

test("Bun runs no install scripts, not even those of its default list", () => {
  expect(manifest.trustedDependencies).toEqual([]);
});

test("no locked package has an install script or reports an installation", async () => {
  const locked = await lockedPackages();
  expect(locked.length).toBeGreaterThan(100);
  const refused = locked.filter(([id, { hasInstallScript }]) => hasInstallScript || id.startsWith("@scarf/"));
  expect(refused.map(([id]) => id)).toEqual([]);
});

test("no installed package has an install script", async () => {
  const refused: string[] = [];
  for await (const file of new Glob("node_modules/**/package.json").scan({ cwd: root, dot: true })) {
    const { name, scripts = {} } = (await Bun.file(join(root, file)).json()) as {
      name?: string;
      scripts?: Record<string, string>;
    };
    // Without its own script, a package with this file is built by node-gyp.
    const isBuilt = existsSync(join(root, dirname(file), "binding.gyp"));
    if (isBuilt || name?.startsWith("@scarf/") || INSTALL_SCRIPTS.some((script) => script in scripts))
      refused.push(file);
  }
  expect(refused).toEqual([]);
});

test("every dependency is pinned to one version", () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter(([, version]) => !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
