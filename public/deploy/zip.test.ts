import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { openWorkbench } from "../../src/archive/testing/unpacking.ts";
import { needing } from "../../src/testing/needing.ts";
import { temporaryFolder } from "../../src/testing/temporary-folder.ts";
import { zip } from "./zip.ts";

const folder = temporaryFolder();
const server = openWorkbench();
afterAll(() => server.close());

async function archive(files: Record<string, string | Uint8Array<ArrayBuffer>>): Promise<string> {
  const file = join(folder, `${crypto.randomUUID()}.zip`);
  await Bun.write(
    file,
    await zip(Object.entries(files).map(([path, content]) => ({ path, file: new Blob([content]) }))),
  );
  return file;
}

needing("unzip").test("Info-ZIP accepts the archive, and unpacks the same bytes", async () => {
  const random = crypto.getRandomValues(new Uint8Array(60_000));
  const file = await archive({ "index.html": "<p>hello</p>".repeat(5000), "img/ä ö.png": random, empty: "" });
  await $`unzip -tq ${file}`.quiet();
  expect(await $`unzip -p ${file} index.html`.text()).toBe("<p>hello</p>".repeat(5000));
  expect(new Uint8Array(await $`unzip -p ${file} ${"img/*"}`.arrayBuffer())).toEqual(random);
});

needing("python").test("Python finds the same names, sizes and checksums", async () => {
  const file = await archive({ "a.txt": "aaaa", "ordner/größe.txt": "b" });
  const script =
    "import sys, zipfile; print([(i.filename, i.file_size) for i in zipfile.ZipFile(sys.argv[1]).infolist()])";
  expect((await $`python3 -c ${script} ${file}`.text()).trim()).toBe("[('a.txt', 4), ('ordner/größe.txt', 1)]");
});

test.each([
  [["assets/a.css", "assets/b.css"]],
  [[".well-known/security.txt"]],
  [["assets/a.css", "index.html"]],
  [["index.html"]],
])("the server unpacks %j under the same paths", async (paths) => {
  const file = await archive(Object.fromEntries(paths.map((path) => [path, "x"])));
  const { files } = await server.unpack(await Bun.file(file).bytes());
  expect(files.map(({ path }) => path)).toEqual(paths);
});

test("text is deflated, and compressed files are stored", async () => {
  const text = "x".repeat(100_000);
  expect(Bun.file(await archive({ "a.html": text })).size).toBeLessThan(1000);
  expect(Bun.file(await archive({ "a.jpg": text })).size).toBeGreaterThan(100_000);
});

test("the same files create the same archive", async () => {
  const files = { "index.html": "one", "b.css": "two" };
  const [first, second] = await Promise.all([archive(files), archive(files)]);
  expect(await Bun.file(first).bytes()).toEqual(await Bun.file(second).bytes());
});

test("more files than a ZIP can hold are refused", async () => {
  const many = Array.from({ length: 65_536 }, (_, index) => ({ path: `${index}`, file: new Blob([]) }));
  await expect(zip(many)).rejects.toThrow("at most 65535 files");
});

test("an abort between files stops packing", async () => {
  const files = Array.from({ length: 3 }, (_, index) => ({ path: `${index}.html`, file: new Blob(["x"]) }));
  const abort = new AbortController();
  const packed: number[] = [];
  const stopped = zip(
    files,
    (bytes) => {
      packed.push(bytes);
      abort.abort();
    },
    abort.signal,
  );
  await expect(stopped).rejects.toThrow("aborted");
  expect(packed).toEqual([1]);
});

test("progress is reported within a large file", async () => {
  const packed: number[] = [];
  const parts = [1000, 2000, 3000].map((size) => new Uint8Array(size));
  const stream = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const file = Object.assign(new Blob(), { stream: () => stream });
  await zip([{ path: "film.html", file }], (bytes) => packed.push(bytes));
  expect(packed).toEqual([1000, 2000, 3000]);
});

test("an abort stops packing in the middle of a large file", async () => {
  const abort = new AbortController();
  let read = 0;
  const endless = new ReadableStream({
    pull(controller) {
      read += 1;
      if (read === 3) abort.abort();
      if (read > 1000) controller.close();
      else controller.enqueue(new Uint8Array(1000));
    },
  });
  const file = Object.assign(new Blob(), { stream: () => endless });
  await expect(zip([{ path: "a.html", file }], undefined, abort.signal)).rejects.toThrow("aborted");
  expect(read).toBeLessThan(1000);
});
