import { beforeEach, describe, expect, test } from "bun:test";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { scanFolder } from "./folder.ts";
import { readSource } from "./source.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

async function put(path: string, content = "x"): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

async function scanned(): Promise<{ paths: string[]; notes: readonly string[] }> {
  const { files, notes } = await scanFolder(folder);
  return { paths: files.map(({ path }) => path), notes: notes.toSorted() };
}

test("files are sorted by path and have their sizes", async () => {
  await put("index.html", "hello");
  await put("a/b.css");
  await put("a.css");
  expect((await scanFolder(folder)).files).toEqual([
    { path: "a.css", file: join(folder, "a.css"), size: 1 },
    { path: "a/b.css", file: join(folder, "a/b.css"), size: 1 },
    { path: "index.html", file: join(folder, "index.html"), size: 5 },
  ]);
});

test("files that no site needs are omitted", async () => {
  for (const path of [".git/config", "node_modules/a/index.js", "a/.DS_Store", "__MACOSX/x", "Thumbs.db"])
    await put(path);
  for (const path of ["vitrine.json", ".vitrineignore", ".well-known/security.txt", "a/vitrine.json"]) await put(path);
  expect(await scanned()).toEqual({ paths: [".well-known/security.txt", "a/vitrine.json"], notes: [] });
});

test("files that may hold credentials are omitted with a warning, and cannot be included", async () => {
  for (const path of [".env", "a/.env.local", ".aws/credentials", ".npmrc", ".env.example", "index.html"])
    await put(path);
  await put(".vitrineignore", "!.env\n.npmrc\n");
  expect(await scanned()).toEqual({
    paths: [".env.example", "index.html"],
    notes: [".aws/", ".env", "a/.env.local"].map((path) => `${path} was left out: it may hold credentials.`),
  });
});

describe(".vitrineignore", () => {
  test("has the syntax of .gitignore", async () => {
    for (const path of ["a.map", "js/b.map", "keep.map", "drafts/x.html", "js/drafts/y.html", "index.html"])
      await put(path);
    await put(".vitrineignore", "# sources\n*.map\n!keep.map\n/drafts/\n");
    expect((await scanned()).paths).toEqual(["index.html", "js/drafts/y.html", "keep.map"]);
  });

  test("can include files that are omitted by default", async () => {
    await put("node_modules/a/index.js");
    await put(".vitrineignore", "!node_modules/\n");
    expect((await scanned()).paths).toEqual(["node_modules/a/index.js"]);
  });

  test("hides the warning about a broken link that it excludes", async () => {
    await put("index.html");
    await symlink("/nowhere", join(folder, "gone"));
    await put(".vitrineignore", "gone\n");
    expect((await scanned()).notes).toEqual([]);
  });
});

describe("links", () => {
  test("to files and folders inside are followed", async () => {
    await put("real/a.txt", "hello");
    await symlink("real/a.txt", join(folder, "b.txt"));
    await symlink("real", join(folder, "copy"));
    expect(await scanned()).toEqual({ paths: ["b.txt", "copy/a.txt", "real/a.txt"], notes: [] });
  });

  test("to the outside, to nothing or in circles are omitted with a warning", async () => {
    await put("index.html");
    await put("real/a.txt");
    await symlink("/etc/passwd", join(folder, "passwd"));
    await symlink("..", join(folder, "up"));
    await symlink("missing", join(folder, "gone"));
    await symlink(".", join(folder, "self"));
    await symlink("..", join(folder, "real/parent"));
    const { paths, notes } = await scanned();
    expect(paths).toEqual(["index.html", "real/a.txt"]);
    expect([...notes].sort()).toEqual([
      "gone is a broken link; skipped.",
      "passwd is a link out of the folder; skipped.",
      "real/parent is a link to a parent folder; skipped.",
      "self is a link to a parent folder; skipped.",
      "up is a link out of the folder; skipped.",
    ]);
  });

  test("to a sibling folder with the same prefix are outside", async () => {
    await put("site/index.html");
    await put("site-secrets/key");
    await symlink("../site-secrets/key", join(folder, "site/key"));
    expect((await scanFolder(join(folder, "site"))).files.map(({ path }) => path)).toEqual(["index.html"]);
  });

  test("can be the folder itself", async () => {
    await put("real/index.html");
    await symlink("real", join(folder, "dist"));
    expect((await scanFolder(join(folder, "dist"))).files.map(({ path }) => path)).toEqual(["index.html"]);
  });
});

test("pipes and sockets are omitted with a warning, and do not block", async () => {
  await put("index.html");
  await Bun.$`mkfifo ${join(folder, "pipe")}`;
  expect(await scanned()).toEqual({ paths: ["index.html"], notes: ["pipe is neither a file nor a folder; skipped."] });
});

test("a name that is not UTF-8 is refused with an explanation", async () => {
  await put("index.html");
  const name = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from(".html")]);
  await writeFile(name, "x");
  expect(scanFolder(folder)).rejects.toThrow("has a name that is not UTF-8");
  await put(".vitrineignore", "caf*");
  expect((await scanned()).paths).toEqual(["index.html"]);
});

test.each([
  ["a\\b.html", "has a backslash in its name"],
  ["a:b.html", "begins like a path on a Windows drive"],
])("the name %j is refused before the upload, in a folder and as a single file", async (name, why) => {
  await put(name);
  await expect(scanFolder(folder)).rejects.toThrow(`${name} ${why}`);
  // .vitrineignore applies to folders only.
  const alone = readSource(join(folder, name));
  await expect(alone).rejects.toMatchObject({ message: `${name} ${why}`, advice: "Rename it." });
});

test("a colon after the first two characters of a path is allowed", async () => {
  await put("ab:c/d:e.html");
  expect((await scanned()).paths).toEqual(["ab:c/d:e.html"]);
});

describe("deploy accepts", () => {
  test("a ZIP, which is sent unchanged", async () => {
    await put("site.ZIP", "PK");
    expect(await readSource(join(folder, "site.ZIP"))).toEqual({
      kind: "archive",
      file: join(folder, "site.ZIP"),
      size: 2,
    });
  });

  test.each([
    ["report.pdf", ["report.pdf"]],
    ["index.html", ["index.html"]],
    ["talk.html", ["index.html"]],
  ])("the single file %p as a site with %p", async (name, paths) => {
    await put(name);
    const source = await readSource(join(folder, name));
    expect(source.kind === "files" && source.files.map(({ path }) => path)).toEqual(paths);
  });

  test("no empty folder or missing path, with advice", async () => {
    expect(readSource(folder)).rejects.toThrow("contains no files to deploy");
    expect(readSource(join(folder, "none"))).rejects.toThrow("does not exist");
  });
});
