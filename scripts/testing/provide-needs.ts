import { join } from "node:path";
import { $ } from "bun";
import { IMAGE_SYSTEM, NEED_NAMES, type NeedName, needOf } from "../../src/testing/needs.ts";
import { aptInstall, aptUnpack, useUnpacked } from "../debian-packages.ts";
import { mountNamespace } from "./mount-namespace.ts";

const ROOT = join(import.meta.dir, "..", "..");

/**
 * Checks what the tests need and installs what is missing: as packages if the user may do that, otherwise unpacked into
 * `folder`. Returns what is still missing.
 */
export async function provideNeeds(
  folder: string,
  names: readonly NeedName[] = NEED_NAMES,
): Promise<readonly NeedName[]> {
  useUnpacked(folder);
  const missing = names.filter((name) => !works(name));
  if (missing.includes("image system")) await unpackImageSystem();
  const packaged = missing.filter((name) => needOf(name).packages);
  if (packaged.length === 0 || !Bun.which("apt-get")) return missing.filter((name) => !works(name));
  const toInstall = packaged.filter((name) => !needOf(name).unpackOnly);
  const notInstalled = await fetchAllOrEach(toInstall, aptInstall);
  const toUnpack = packaged.filter(
    (name) => needOf(name).unpackOnly || (notInstalled.includes(name) && !needOf(name).installOnly),
  );
  await fetchAllOrEach(toUnpack, (packages) => aptUnpack(folder, packages));
  useUnpacked(folder);
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

/**
 * Fetches packages together. One unknown package makes that fail, so they are then fetched one by one. Returns the
 * names of failed packages.
 */
async function fetchAllOrEach(
  names: readonly NeedName[],
  fetch: (packages: readonly string[]) => Promise<string | null>,
): Promise<readonly NeedName[]> {
  const packagesOf = (name: NeedName) => needOf(name).packages?.apt.split(" ") ?? [];
  if (names.length === 0 || (await fetch(names.flatMap(packagesOf))) === null) return [];
  const failed: NeedName[] = [];
  for (const name of names) if ((await fetch(packagesOf(name))) !== null) failed.push(name);
  return failed;
}
