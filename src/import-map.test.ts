import { expect, test } from "bun:test";
import { dirname, relative } from "node:path";
import { Glob } from "bun";

/**
 * The layers that a layer may import, besides itself. Dependencies point inwards, to `domain`. Only `app` knows
 * everything.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  archive: ["domain"],
  clients: ["domain"],
  config: ["domain"],
  storage: ["domain", "archive"],
  serving: ["domain"],
  // Its pages for people, such as the sign-in page, have the same brand as those of hosting.
  api: ["domain", "serving/http", "serving/pages/brand.ts"],
  jobs: ["domain"],
  workers: ["domain", "archive", "clients", "config", "storage", "serving", "api", "jobs", "worker-entries"],
  app: ["domain", "archive", "clients", "config", "storage", "serving", "api", "jobs", "workers", "worker-entries"],
  "worker-entries": [],
  // docs/decisions/operator-commands.md explains storage/data-folder.
  cli: ["app", "config", "domain", "storage/data-folder", "storage/folder", "api/schemas", "api/routes/routes.ts"],
  main: ["cli"],
  "client-main": ["cli"],
};

const src = import.meta.dir;

function layerOf(file: string): string {
  const [first = ""] = file.split("/");
  return first.replace(/\.ts$/, "");
}

/** Every import and re-export of a module, including type-only and dynamic ones. */
function importsOf(source: string): string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s*\(?\s*|new URL\(\s*)["']([^"']+)["']/g;
  return [...source.matchAll(pattern)].map((match) => match[1] as string);
}

function resolveImport(file: string, specifier: string): string {
  return new URL(specifier, `file:///${file}`).pathname.slice(1);
}

async function sources(root = src): Promise<string[]> {
  const files = await Array.fromAsync(new Glob("**/*.{ts,tsx}").scan(root));
  return files
    .filter((file) => !/\.test\.tsx?$/.test(file) && !file.endsWith(".d.ts") && !/(^|\/)testing\//.test(file))
    .sort();
}

test("every import between layers is in the import map", async () => {
  const strangers: string[] = [];
  for (const file of await sources()) {
    const layer = layerOf(file);
    for (const specifier of importsOf(await Bun.file(`${src}/${file}`).text())) {
      if (!specifier.startsWith(".")) continue;
      const target = resolveImport(file, specifier);
      if (target === "package.json" || layerOf(target) === layer) continue;
      const allowed = (MAY_IMPORT[layer] ?? []).some(
        (place) => layerOf(target) === place || target === place || target.startsWith(`${place}/`),
      );
      if (!allowed) strangers.push(`${file} imports ${target}`);
    }
  }
  expect(strangers).toEqual([]);
});

test("layers do not depend on each other in a circle", () => {
  const layers = Object.entries(MAY_IMPORT).map(([layer, places]) => [layer, places.map(layerOf)] as const);
  expect(inCircles(new Map(layers))).toEqual([]);
});

test("the domain imports nothing from outside itself", async () => {
  const strangers: string[] = [];
  for (const file of (await sources()).filter((name) => name.startsWith("domain/"))) {
    for (const specifier of importsOf(await Bun.file(`${src}/${file}`).text())) {
      const inside = specifier.startsWith(".") && resolveImport(file, specifier).startsWith("domain/");
      if (!inside) strangers.push(`${file} imports ${specifier}`);
    }
  }
  expect(strangers).toEqual([]);
});

test("every file belongs to a layer of the import map", async () => {
  const unknown = (await sources()).filter((file) => !(layerOf(file) in MAY_IMPORT));
  expect(unknown).toEqual([]);
});

/** Returns the imports of a module that are needed when it is loaded: none for types, and no dynamic ones. */
function neededBy(file: string, source: string): string[] {
  const pattern = /^(?:import\s+(?!type\b)|export\s+(?=[{*]))(?:[^"';]*?\sfrom\s+)?["'](\.[^"']+)["']/gm;
  return [...source.matchAll(pattern)].map((match) => resolveImport(file, match[1] as string));
}

test("there are no import cycles", async () => {
  const graph = new Map<string, readonly string[]>();
  for (const file of await sources()) graph.set(file, neededBy(file, await Bun.file(`${src}/${file}`).text()));
  expect(inCircles(graph)).toEqual([]);
});

test.each([
  ["src", src],
  ["public", `${src}/../public`],
])("folders of %s do not import each other in a circle", async (_, root) => {
  const graph = new Map<string, Set<string>>();
  const edges: { readonly from: string; readonly to: string; readonly text: string }[] = [];
  for (const file of await sources(root)) {
    const from = folderOf(file);
    const places = graph.get(from) ?? new Set();
    graph.set(from, places);
    for (const specifier of importsOf(await Bun.file(`${root}/${file}`).text())) {
      const target = resolveImport(file, specifier);
      const to = folderOf(target);
      if (!specifier.startsWith(".") || to === from) continue;
      places.add(to);
      edges.push({ from, to, text: `${file} imports ${target}` });
    }
  }
  const circles = new Set(inCircles(new Map([...graph].map(([folder, places]) => [folder, [...places]]))));
  expect(edges.filter(({ from, to }) => circles.has(from) && circles.has(to)).map(({ text }) => text)).toEqual([]);
});

test("exports stand above the line that begins what is internal", async () => {
  const below: string[] = [];
  for (const root of ["src", "public", "scripts"].map((folder) => `${src}/../${folder}`)) {
    for await (const file of new Glob("**/*.{ts,tsx}").scan({ cwd: root, absolute: true })) {
      const [, ...internal] = (await Bun.file(file).text()).split("\n// --- internal ---\n");
      const misplaced = internal.flatMap((part) => part.match(/^export .*/gm) ?? []);
      if (internal.length > 1) misplaced.push("a second line");
      below.push(...misplaced.map((line) => `${relative(`${src}/..`, file)}: ${line}`));
    }
  }
  expect(below).toEqual([]);
});

/** Returns the folder of a file, without the folders above and below it. A file at the top counts as one by itself. */
function folderOf(file: string): string {
  return file.includes("/") ? dirname(file) : file;
}

/** Returns the nodes that are in a circle, or between two of them. */
function inCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const rest = new Map(graph);
  // What needs none of the rest, or is needed by none of it, is in no circle.
  for (let before = 0; before !== rest.size; ) {
    before = rest.size;
    for (const [node, needed] of rest) if (!needed.some((other) => rest.has(other))) rest.delete(node);
    const wanted = new Set([...rest.values()].flat());
    for (const node of rest.keys()) if (!wanted.has(node)) rest.delete(node);
  }
  return [...rest.keys()];
}
