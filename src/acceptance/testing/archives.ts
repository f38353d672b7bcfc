import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Returns a ZIP archive of the files, made by Info-ZIP's `zip`. */
export async function zipOf(files: Record<string, string | Uint8Array>): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-zip-"));
  try {
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, "content", path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    await Bun.$`zip -qr ../archive.zip .`.cwd(join(folder, "content"));
    return await Bun.file(join(folder, "archive.zip")).bytes();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
