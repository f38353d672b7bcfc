/** What somebody dropped or picked, before it is sent. */
export type Upload = ArchiveUpload | FolderUpload;

/** A ZIP goes to the server as it is. */
interface ArchiveUpload {
  readonly kind: "archive";
  readonly file: File;
  readonly suggestedName: string;
}

/** Files are packed in the browser; paths are relative, with `/` between segments. */
interface FolderUpload {
  readonly kind: "folder";
  readonly files: readonly FolderFile[];
  readonly suggestedName: string;
}

interface FolderFile {
  readonly path: string;
  readonly file: File;
}

/** What no site is made of, and the server would leave out: not worth the way. */
const LEFT_OUT = /(^|\/)(\.git|__MACOSX|node_modules)\/|(^|\/)(\.DS_Store|Thumbs\.db)$/;

/** Names of output folders, which say nothing about the site. */
const NAMELESS = new Set([
  "dist",
  "build",
  "out",
  "public",
  "site",
  "www",
  "html",
  "htdocs",
  "output",
  "_site",
  "docs",
]);

/** Somebody's drop while it is read: a folder of thousands of files takes seconds. */
export interface Reading {
  /** Null where there is no file. Rejects once it was stopped. */
  readonly upload: Promise<Upload | null>;
  /** How many files there are so far. */
  found(): number;
  stop(): void;
}

/** Begins to read what was dropped. Must be called within the drop event: the browser forgets the items afterwards. */
export function readDrop(transfer: DataTransfer): Reading {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const abort = new AbortController();
  const loose = [...transfer.files].map((file) => ({ path: file.name, file }));
  let count = entries.length === 0 ? loose.length : 0;
  const onFile = () => {
    count += 1;
  };
  const files = entries.length === 0 ? Promise.resolve(loose) : walkAll(entries, onFile, abort.signal);
  const upload = files.then(uploadOf);
  // Whoever stops it may be gone by the time it fails.
  upload.catch(() => {});
  return { upload, found: () => count, stop: () => abort.abort() };
}

/** Returns what was picked with a file or folder chooser. */
export function collectPicked(list: FileList): Upload | null {
  return uploadOf([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

/** Decides what a set of files is: one ZIP, one page, a folder, or loose files. Null where nothing is left. */
export function uploadOf(all: readonly FolderFile[]): Upload | null {
  const files = all.filter(({ path }) => !LEFT_OUT.test(path));
  const [only] = files;
  if (!only) return null;
  if (files.length === 1 && /\.zip$/i.test(only.path)) {
    return { kind: "archive", file: only.file, suggestedName: siteNameOf(only.path.replace(/^.*\/|\.zip$/gi, "")) };
  }
  if (files.length === 1 && !only.path.includes("/") && /\.html?$/i.test(only.path)) {
    const suggestedName = siteNameOf(only.path.replace(/\.html?$/i, ""));
    return { kind: "folder", files: [{ path: "index.html", file: only.file }], suggestedName };
  }
  const folder = commonFolder(files);
  const inside = folder === "" ? files : files.map(({ path, file }) => ({ path: path.slice(folder.length), file }));
  return { kind: "folder", files: inside, suggestedName: siteNameOf(folder.replace(/^.*?([^/]*)\/$/, "$1")) };
}

/** Makes a site name of a folder's name; empty where nothing of use is left, and the server will make one up. */
export function siteNameOf(text: string): string {
  const name = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, "");
  return NAMELESS.has(name) || /^\d*$/.test(name) || name === "index" ? "" : name;
}

/** The one folder that everything lies in, with its slash: people drop the folder, and mean what is in it. */
function commonFolder(files: readonly FolderFile[]): string {
  const [first] = files;
  const folder = first?.path.slice(0, first.path.indexOf("/") + 1) ?? "";
  return folder !== "" && files.every(({ path }) => path.startsWith(folder)) ? folder : "";
}

/** Side by side, because each answer of the browser takes its time; in the order of the entries all the same. */
async function walkAll(
  entries: readonly FileSystemEntry[],
  onFile: () => void,
  signal: AbortSignal,
): Promise<readonly FolderFile[]> {
  return (await Promise.all(entries.map((entry) => walk(entry, onFile, signal)))).flat();
}

async function walk(entry: FileSystemEntry, onFile: () => void, signal: AbortSignal): Promise<readonly FolderFile[]> {
  signal.throwIfAborted();
  const path = entry.fullPath.replace(/^\//, "");
  if (LEFT_OUT.test(`${path}/`)) return [];
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry);
    onFile();
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: (readonly FolderFile[])[] = [];
  // A reader hands out about a hundred entries a time, and none when it has no more.
  for (let batch = await nextBatch(reader); batch.length > 0; batch = await nextBatch(reader)) {
    files.push(await walkAll(batch, onFile, signal));
  }
  return files.flat();
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function nextBatch(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}
