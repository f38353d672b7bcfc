import { leftOutBy } from "../../src/domain/deployments/left-out.ts";
import { proposedSiteName } from "../../src/domain/sites/proposed-name.ts";

/** Dropped or chosen files before the upload. */
export type Upload = ArchiveUpload | FolderUpload;

/** A ZIP, which is uploaded unchanged. */
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

/** Returns whether a file is not sent: the server would ignore it, or it is a dependency of the project. */
function isLeftOut(path: string, isFolder = false): boolean {
  return /(^|\/)node_modules\//.test(isFolder ? `${path}/` : path) || leftOutBy(path, isFolder) !== null;
}

/** Files of `vitrine deploy` at the top of a folder, which it does not publish either. */
const OF_THE_PROGRAM: readonly string[] = ["vitrine.json", ".vitrineignore"];

/** A drop that is being read; a folder of thousands of files takes seconds. */
export interface Reading {
  /** Null without files. Rejects after `stop`. */
  readonly upload: Promise<Upload | null>;
  /** The number of files so far. */
  found(): number;
  stop(): void;
}

/** Starts reading dropped items. Must be called within the drop event; later the browser has discarded the items. */
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
  // Prevents an unhandled rejection if nobody waits any more.
  upload.catch(() => {});
  return { upload, found: () => count, stop: () => abort.abort() };
}

/** Returns the files of a file or folder chooser. */
export function collectPicked(list: FileList): Upload | null {
  return uploadOf([...list].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
}

/** Classifies files: one ZIP, one page, a folder, or loose files. Null if none is left. */
export function uploadOf(all: readonly FolderFile[]): Upload | null {
  const files = all.filter(({ path }) => !isLeftOut(path));
  const [only] = files;
  if (!only) return null;
  if (files.length === 1 && /\.zip$/i.test(only.path)) {
    return {
      kind: "archive",
      file: only.file,
      suggestedName: proposedSiteName(only.path.replace(/^.*\/|\.zip$/gi, "")),
    };
  }
  if (files.length === 1 && !only.path.includes("/") && /\.html?$/i.test(only.path)) {
    const suggestedName = proposedSiteName(only.path.replace(/\.html?$/i, ""));
    return { kind: "folder", files: [{ path: "index.html", file: only.file }], suggestedName };
  }
  const folder = commonFolder(files);
  const inside = folder === "" ? files : files.map(({ path, file }) => ({ path: path.slice(folder.length), file }));
  const own = inside.filter(({ path }) => !OF_THE_PROGRAM.includes(path));
  if (own.length === 0) return null;
  return { kind: "folder", files: own, suggestedName: proposedSiteName(folder.replace(/^.*?([^/]*)\/$/, "$1")) };
}

/** The common folder of all files, with a slash; it is stripped, because users drop a folder and mean its content. */
function commonFolder(files: readonly FolderFile[]): string {
  const [first] = files;
  const folder = first?.path.slice(0, first.path.indexOf("/") + 1) ?? "";
  return folder !== "" && files.every(({ path }) => path.startsWith(folder)) ? folder : "";
}

/** Reads concurrently, because each read is slow; keeps the order of the entries. */
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
  if (isLeftOut(path, entry.isDirectory)) return [];
  if (entry.isFile) {
    const file = await fileOf(entry as FileSystemFileEntry);
    onFile();
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: (readonly FolderFile[])[] = [];
  // A reader returns about a hundred entries at a time, and none at the end.
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
