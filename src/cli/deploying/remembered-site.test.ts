import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { rememberedSite, rememberSite, siteOfFolder } from "./remembered-site.ts";

const before = process.cwd();
let folder: string;

beforeEach(async () => {
  folder = await realpath(temporaryFolder());
  await mkdir(join(folder, "project/dist"), { recursive: true });
  await mkdir(join(folder, "other"));
  process.chdir(join(folder, "project"));
});
afterEach(() => process.chdir(before));

test("a folder below the working folder is remembered there, by path", async () => {
  expect(await rememberSite("dist", "brisk-otter")).toBe(join(folder, "project/vitrine.json"));
  expect(await rememberSite("./docs/", "calm-heron")).toBe(join(folder, "project/vitrine.json"));
  expect(await Bun.file("vitrine.json").json()).toEqual({ sites: { dist: "brisk-otter", docs: "calm-heron" } });
  expect(await rememberedSite(join(folder, "project/dist"))).toBe("brisk-otter");
  expect(await rememberedSite(".")).toBeNull();
});

test("an existing entry is not written again, and other keys stay", async () => {
  await Bun.write("vitrine.json", '{"note": "mine", "sites": {"dist": "a"}}');
  expect(await rememberSite("dist", "a")).toBeNull();
  await rememberSite("dist", "b");
  expect(await Bun.file("vitrine.json").json()).toEqual({ note: "mine", sites: { dist: "b" } });
});

test("a folder below with a name that starts with dots is not mistaken for a folder elsewhere", async () => {
  await mkdir("..dist");
  expect(await rememberSite("..dist", "brisk-otter")).toBe(join(folder, "project/vitrine.json"));
  expect(await Bun.file("vitrine.json").json()).toEqual({ sites: { "..dist": "brisk-otter" } });
});

test("a folder elsewhere gets its own vitrine.json", async () => {
  expect(await rememberSite("../other", "far-site")).toBe(join(folder, "other/vitrine.json"));
  process.chdir(join(folder, "other"));
  expect(await rememberedSite(".")).toBe("far-site");
});

test("a path elsewhere that does not exist is reported with a remedy", async () => {
  const failure = { message: "../gone does not exist", advice: expect.stringContaining("vitrine deploy FOLDER") };
  await expect(rememberedSite("../gone")).rejects.toMatchObject(failure);
});

test("a damaged file is reported with a remedy", async () => {
  await Bun.write("vitrine.json", "{");
  expect(rememberedSite("dist")).rejects.toMatchObject({ advice: expect.stringContaining("--site NAME") });
});

test("the site of a folder is the only one in its vitrine.json", async () => {
  const site = () => siteOfFolder("vitrine open SITE").catch(({ message, advice }) => [message, advice]);
  expect(await site()).toEqual(["vitrine.json in this folder remembers no site", "Name the site: vitrine open SITE"]);
  for (const path of ["dist", "docs"]) await rememberSite(path, "brisk-otter");
  expect(await site()).toBe("brisk-otter");
  await rememberSite("blog", "calm-heron");
  expect(await site()).toContain("vitrine.json in this folder remembers several sites: brisk-otter, calm-heron");
});
