import { join } from "node:path";
import { $ } from "bun";
import {
  IMAGE_SYSTEM,
  type NeedName,
  needOf,
  type PackageManager,
  packageManager,
  packagesOf,
} from "../../src/testing/needs.ts";
import { aptUnpack, useUnpacked } from "../debian-packages.ts";
import { installPackages } from "../install-packages.ts";
import { mountNamespace } from "./mount-namespace.ts";

const ROOT = join(import.meta.dir, "..", "..");

/**
 * Checks what the tests need and installs what is missing: as packages if the user may do that, otherwise unpacked into
 * `folder` on Debian. Returns what is still missing.
 */
export async function provideNeeds(folder: string, names: readonly NeedName[]): Promise<readonly NeedName[]> {
  useUnpacked(folder);
  const missing = names.filter((name) => !works(name));
  if (missing.includes("image system")) await unpackImageSystem();
  const manager = packageManager();
  if (manager) await providePackages(folder, manager, missing);
  return missing.filter((name) => !works(name));
}

// --- internal ---

/**
 * Unpacks the system of an image. Without apt or the right to fetch, the folder is missing and its need explains it.
 */
async function unpackImageSystem(): Promise<void> {
  if (!Bun.which("apt-get")) return;
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  await $`sh scripts/image/system.sh ${architecture} ${IMAGE_SYSTEM}`.cwd(ROOT).quiet().nothrow();
}

/** Disks are mounted in a namespace, which may be allowed when mounting on the host is not. */
function works(name: NeedName): boolean {
  return name === "disk" ? mountNamespace() !== null : needOf(name).works();
}

async function providePackages(folder: string, manager: PackageManager, missing: readonly NeedName[]): Promise<void> {
  const packaged = missing.filter((name) => packagesOf(needOf(name), manager).length > 0);
  // Only Debian's packages start a server when they are installed, and only they can be unpacked.
  const isUnpackOnly = (name: NeedName) => manager === "apt" && needOf(name).unpackOnly === true;
  const fetched = (names: readonly NeedName[], fetch: Fetch) => fetchAllOrEach(names, manager, fetch);
  const toInstall = packaged.filter((name) => !isUnpackOnly(name));
  const notInstalled = await fetched(toInstall, (packages) => installPackages(manager, packages));
  if (manager !== "apt") return;
  const toUnpack = packaged.filter(
    (name) => isUnpackOnly(name) || (notInstalled.includes(name) && !needOf(name).installOnly),
  );
  await fetched(toUnpack, (packages) => aptUnpack(folder, packages));
  useUnpacked(folder);
}

/** Fetches packages. Returns null, or the reason of a failure. */
type Fetch = (packages: readonly string[]) => Promise<string | null>;

/**
 * Fetches packages together. One unknown package makes that fail, so they are then fetched one by one. Returns the
 * names of failed packages.
 */
async function fetchAllOrEach(
  names: readonly NeedName[],
  manager: PackageManager,
  fetch: Fetch,
): Promise<readonly NeedName[]> {
  const ofNeed = (name: NeedName) => packagesOf(needOf(name), manager);
  if (names.length === 0 || (await fetch(names.flatMap(ofNeed))) === null) return [];
  const failed: NeedName[] = [];
  for (const name of names) if ((await fetch(ofNeed(name))) !== null) failed.push(name);
  return failed;
}
