import { join } from "node:path";
import { $ } from "bun";
import { IMAGE_SYSTEM, NEED_NAMES, type NeedName, needOf } from "../../src/testing/needs.ts";
import { aptInstall, aptUnpack, useUnpacked } from "../debian-packages.ts";
import { mountNamespace } from "./mount-namespace.ts";

const ROOT = join(import.meta.dir, "..", "..");

/**
 * Tries what the tests need, and installs what is missing: as packages where somebody may, else unpacked into `folder`.
 * Returns what is missing all the same.
 */
export async function provideNeeds(folder: string): Promise<readonly NeedName[]> {
  useUnpacked(folder);
  const missing = NEED_NAMES.filter((name) => !works(name));
  if (missing.includes("image system")) await unpackImageSystem();
  const packaged = missing.filter((name) => needOf(name).packages);
  if (packaged.length === 0 || !Bun.which("apt-get")) return missing.filter((name) => !works(name));
  const toInstall = packaged.filter((name) => !needOf(name).unpackOnly);
  const notInstalled = await eachOrAll(toInstall, aptInstall);
  const toUnpack = packaged.filter(
    (name) => needOf(name).unpackOnly || (notInstalled.includes(name) && !needOf(name).installOnly),
  );
  await eachOrAll(toUnpack, (packages) => aptUnpack(folder, packages));
  useUnpacked(folder);
  return missing.filter((name) => !works(name));
}

// --- internal ---

/** Without apt or the right to fetch there is no such folder, and its need says what to do. */
async function unpackImageSystem(): Promise<void> {
  if (!Bun.which("apt-get")) return;
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  await $`sh scripts/image/system.sh ${architecture} ${IMAGE_SYSTEM}`.cwd(ROOT).quiet().nothrow();
}

/** Disks are mounted in a namespace, which may be allowed where mounting is not. */
function works(name: NeedName): boolean {
  return name === "disk" ? mountNamespace() !== null : needOf(name).works();
}

/** Fetches packages together or, as one that is unknown keeps all of them away, one by one; returns what it could not. */
async function eachOrAll(
  names: readonly NeedName[],
  fetch: (packages: readonly string[]) => Promise<string | null>,
): Promise<readonly NeedName[]> {
  const packagesOf = (name: NeedName) => needOf(name).packages?.apt.split(" ") ?? [];
  if (names.length === 0 || (await fetch(names.flatMap(packagesOf))) === null) return [];
  const failed: NeedName[] = [];
  for (const name of names) if ((await fetch(packagesOf(name))) !== null) failed.push(name);
  return failed;
}
