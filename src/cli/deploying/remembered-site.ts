import { readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { Failure, UsageError } from "../terminal/errors.ts";
import { statSource } from "./source.ts";

/**
 * `vitrine.json` records the site of each deployed path: `{"sites": {"dist": "brisk-otter-4821"}}`. It is in the
 * working folder if the path is below it, so that it survives a build that empties `dist` and can be committed;
 * otherwise in the deployed folder.
 */
interface Memory {
  readonly file: string;
  readonly key: string;
}

export async function rememberedSite(path: string): Promise<string | null> {
  const { file, key } = await memoryOf(path);
  const { sites } = await readMemory(file);
  const site = sites[key];
  return typeof site === "string" ? site : null;
}

/**
 * Returns the only site in vitrine.json of the working folder. Throws UsageError, with the command that names the site,
 * if there is none or if there are several.
 */
export async function siteOfFolder(command: string): Promise<string> {
  const { sites } = await readMemory(join(process.cwd(), "vitrine.json"));
  const [site, ...others] = new Set(Object.values(sites).filter((name) => typeof name === "string"));
  if (site !== undefined && others.length === 0) return site;
  const problem = site === undefined ? "no site" : `several sites: ${[site, ...others].join(", ")}`;
  throw new UsageError(`vitrine.json in this folder remembers ${problem}`, `Name the site: ${command}`);
}

/** Records the site of a path. Returns the file that was written, or null if it was up to date. */
export async function rememberSite(path: string, site: string): Promise<string | null> {
  const { file, key } = await memoryOf(path);
  const { sites, ...rest } = await readMemory(file);
  if (sites[key] === site) return null;
  await writeFile(file, `${JSON.stringify({ ...rest, sites: { ...sites, [key]: site } }, null, 2)}\n`);
  return file;
}

/** Gives a site its new name in vitrine.json of the working folder. Returns the file, or null if it does not name the site. */
export async function renameRemembered(site: string, newName: string): Promise<string | null> {
  const file = join(process.cwd(), "vitrine.json");
  const { sites, ...rest } = await readMemory(file);
  const entries = Object.entries(sites);
  if (!entries.some(([, name]) => name === site)) return null;
  const renamed = Object.fromEntries(entries.map(([key, name]) => [key, name === site ? newName : name]));
  await writeFile(file, `${JSON.stringify({ ...rest, sites: renamed }, null, 2)}\n`);
  return file;
}

async function memoryOf(path: string): Promise<Memory> {
  const target = resolve(path);
  const inside = relative(process.cwd(), target);
  if (inside === "") return { file: join(target, "vitrine.json"), key: "." };
  const isAbove = inside === ".." || inside.startsWith(`..${sep}`);
  if (!isAbove) return { file: join(process.cwd(), "vitrine.json"), key: inside.split(sep).join("/") };
  if ((await statSource(path)).isDirectory()) return { file: join(target, "vitrine.json"), key: "." };
  return { file: join(dirname(target), "vitrine.json"), key: relative(dirname(target), target) };
}

async function readMemory(file: string): Promise<{ readonly sites: Readonly<Record<string, unknown>> }> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw new Failure(`${file} cannot be read (${error.code})`, "Give the site with --site NAME.");
  });
  try {
    const memory = JSON.parse(text);
    return { ...memory, sites: memory.sites ?? {} };
  } catch {
    throw new Failure(`${file} is not valid JSON`, "Fix or remove it, or give the site with --site NAME.");
  }
}
