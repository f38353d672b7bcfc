import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rememberedSite, rememberSite, sitesOfFolder } from "./remembered-site.ts";

const before = process.cwd();
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "vitrine-memory-")));
  await mkdir(join(folder, "project/dist"), { recursive: true });
  await mkdir(join(folder, "other"));
  process.chdir(join(folder, "project"));
});
afterEach(async () => {
  process.chdir(before);
  await rm(folder, { recursive: true, force: true });
});

test("a folder below the working folder is remembered beside it, each path for itself", async () => {
  expect(await rememberSite("dist", "brisk-otter")).toBe(join(folder, "project/vitrine.json"));
  expect(await rememberSite("./docs/", "calm-heron")).toBe(join(folder, "project/vitrine.json"));
  expect(await Bun.file("vitrine.json").json()).toEqual({ sites: { dist: "brisk-otter", docs: "calm-heron" } });
  expect(await rememberedSite(join(folder, "project/dist"))).toBe("brisk-otter");
  expect(await rememberedSite(".")).toBeNull();
});

test("what is remembered already is not written again, and other keys stay", async () => {
  await Bun.write("vitrine.json", '{"note": "mine", "sites": {"dist": "a"}}');
  expect(await rememberSite("dist", "a")).toBeNull();
  await rememberSite("dist", "b");
  expect(await Bun.file("vitrine.json").json()).toEqual({ note: "mine", sites: { dist: "b" } });
});

test("a folder below whose name begins with dots is no folder elsewhere", async () => {
  await mkdir("..dist");
  expect(await rememberSite("..dist", "brisk-otter")).toBe(join(folder, "project/vitrine.json"));
  expect(await Bun.file("vitrine.json").json()).toEqual({ sites: { "..dist": "brisk-otter" } });
});

test("a folder elsewhere remembers its site itself", async () => {
  expect(await rememberSite("../other", "far-site")).toBe(join(folder, "other/vitrine.json"));
  process.chdir(join(folder, "other"));
  expect(await rememberedSite(".")).toBe("far-site");
});

test("a damaged file is named, with the way around it", async () => {
  await Bun.write("vitrine.json", "{");
  expect(rememberedSite("dist")).rejects.toMatchObject({ advice: expect.stringContaining("--site NAME") });
});

test("the sites of a folder are those that its vitrine.json remembers, each once", async () => {
  expect(await sitesOfFolder(process.cwd())).toEqual([]);
  for (const path of ["dist", "docs"]) await rememberSite(path, "brisk-otter");
  expect(await sitesOfFolder(process.cwd())).toEqual(["brisk-otter"]);
});
