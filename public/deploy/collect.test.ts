import { describe, expect, test } from "bun:test";
import { uploadOf } from "./collect.ts";

const upload = (...paths: string[]) => uploadOf(paths.map((path) => ({ path, file: new File(["x"], path) })));
const pathsOf = (...paths: string[]) => {
  const found = upload(...paths);
  return found?.kind === "folder" ? found.files.map(({ path }) => path) : found?.kind;
};

describe("dropped files", () => {
  test("a single ZIP is uploaded unchanged, under its own name", () => {
    expect(upload("My Trip.zip")).toMatchObject({ kind: "archive", suggestedName: "my-trip" });
  });

  test("a folder is replaced by its content", () => {
    expect(pathsOf("trip/index.html", "trip/img/a.png")).toEqual(["index.html", "img/a.png"]);
    expect(upload("trip/index.html", "trip/img/a.png")?.suggestedName).toBe("trip");
  });

  test("loose files keep their paths", () => {
    expect(pathsOf("index.html", "img/a.png")).toEqual(["index.html", "img/a.png"]);
    expect(upload("index.html", "style.css")?.suggestedName).toBe("");
  });

  test("a single page becomes the index page", () => {
    expect(pathsOf("report.html")).toEqual(["index.html"]);
    expect(upload("report.html")?.suggestedName).toBe("report");
  });

  test("files that no site needs are not uploaded", () => {
    expect(pathsOf("a/index.html", "a/.git/HEAD", "a/.DS_Store", "a/node_modules/x/y.js", "a/b/Thumbs.db")).toEqual([
      "index.html",
    ]);
    expect(pathsOf("a/index.html", "a/.env", "a/b/.env.local", "a/.ssh/id_ed25519", "a/.env.example")).toEqual([
      "index.html",
      ".env.example",
    ]);
    expect(pathsOf("a/vitrine.json", "a/.vitrineignore", "a/b/vitrine.json")).toEqual(["b/vitrine.json"]);
    expect(upload("a/vitrine.json")).toBeNull();
    expect(upload(".DS_Store")).toBeNull();
    expect(upload()).toBeNull();
  });
});
