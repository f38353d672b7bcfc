import { NEED_NAMES, type NeedName, needOf } from "../../src/testing/needs.ts";
import { aptInstall, aptUnpack, useUnpacked } from "../debian-packages.ts";
import { mountNamespace } from "./mount-namespace.ts";

/**
 * Tries what the tests need, and installs what is missing: as packages where somebody may, else unpacked into `folder`.
 * Returns what is missing all the same.
 */
export async function provideNeeds(folder: string): Promise<readonly NeedName[]> {
  useUnpacked(folder);
  const missing = NEED_NAMES.filter((name) => !works(name));
  const packaged = missing.filter((name) => needOf(name).packages);
  if (packaged.length === 0 || !Bun.which("apt-get")) return missing;
  const toInstall = packaged.filter((name) => !needOf(name).unpackOnly);
  const notInstalled = await eachOrAll(toInstall, aptInstall);
  const toUnpack = packaged.filter((name) => needOf(name).unpackOnly || notInstalled.includes(name));
  await eachOrAll(toUnpack, (packages) => aptUnpack(folder, packages));
  useUnpacked(folder);
  return missing.filter((name) => !works(name));
}

// --- internal ---

/** Disks are mounted in a namespace, which may be allowed where mounting is not. */
function works(name: NeedName): boolean {
  return name === "disk" ? mountNamespace() !== null : needOf(name).works();
}

/** Fetches packages together or, as one that is unknown keeps all of them away, one by one; returns what it could not. */
async function eachOrAll(
  names: readonly NeedName[],
  fetch: (packages: readonly string[]) => Promise<string | null>,
): Promise<readonly NeedName[]> {
  const packageOf = (name: NeedName) => needOf(name).packages?.apt ?? "";
  if (names.length === 0 || (await fetch(names.map(packageOf))) === null) return [];
  const failed: NeedName[] = [];
  for (const name of names) if ((await fetch([packageOf(name)])) !== null) failed.push(name);
  return failed;
}
