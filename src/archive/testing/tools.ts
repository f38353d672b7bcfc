import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NeedName } from "../../testing/needs.ts";

/** An archiver: `command` runs in the folder to archive; $OUT is the archive. */
interface Archiver {
  readonly what: string;
  readonly program: NeedName;
  readonly command: string;
}

const PYTHON = (mode: string) => `python3 -c '
import os, sys, zipfile
with zipfile.ZipFile(${mode}, "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, folders, files in os.walk("."):
        for name in sorted(folders + files):
            archive.write(os.path.join(folder, name))
'`;

export const ARCHIVERS: readonly Archiver[] = [
  { what: "zip", program: "zip", command: 'zip -qr "$OUT" .' },
  { what: "zip without compression", program: "zip", command: 'zip -qr0 "$OUT" .' },
  { what: "zip into a pipe", program: "zip", command: 'zip -qr - . | cat > "$OUT"' },
  { what: "zip with ZIP64", program: "zip", command: 'zip -qr -fz "$OUT" .' },
  { what: "zip without folders or extra fields", program: "zip", command: 'zip -qrDX "$OUT" .' },
  { what: "zip with flagged UTF-8", program: "zip", command: 'zip -qr -UN=UTF8 "$OUT" .' },
  { what: "zip without a locale", program: "zip", command: 'LC_ALL=C zip -qr "$OUT" .' },
  { what: "zip with a comment", program: "zip", command: 'echo "made for a test" | zip -qrz "$OUT" .' },
  { what: "zip that updates", program: "zip", command: 'zip -qr "$OUT" . && zip -q "$OUT" index.html' },
  {
    what: "zip that deletes",
    program: "zip",
    command: 'touch extra && zip -qr "$OUT" . && rm extra && zip -qd "$OUT" extra',
  },
  {
    what: "zip behind a script",
    program: "zip",
    command: 'zip -qr in.zip . -x in.zip && (echo "#!/bin/sh"; cat in.zip) > "$OUT" && rm in.zip',
  },
  {
    what: "zip behind an adjusted script",
    program: "zip",
    command: 'zip -qr in.zip . -x in.zip && (echo "#!/bin/sh"; cat in.zip) > "$OUT" && rm in.zip && zip -qA "$OUT"',
  },
  { what: "7z", program: "7z", command: '7z a -bd -tzip "$OUT" . > /dev/null' },
  { what: "7z at its best", program: "7z", command: '7z a -bd -tzip -mx=9 -mm=Deflate "$OUT" . > /dev/null' },
  { what: "bsdtar of `.`", program: "bsdtar", command: 'bsdtar -a -cf "$OUT" .' },
  { what: "bsdtar of names", program: "bsdtar", command: 'bsdtar -a -cf "$OUT" .well-known *' },
  {
    what: "bsdtar without compression",
    program: "bsdtar",
    command: 'bsdtar --format zip --options zip:compression=store -cf "$OUT" .',
  },
  // bsdtar fills its last block with NUL bytes.
  { what: "bsdtar into a pipe", program: "bsdtar", command: 'bsdtar --format zip -cf - . | cat > "$OUT"' },
  {
    what: "bsdtar into a pipe in blocks of 1 MB",
    program: "bsdtar",
    command: 'bsdtar --format zip -b 2048 -cf - . | cat > "$OUT"',
  },
  { what: "Python", program: "python", command: PYTHON('os.environ["OUT"]') },
  { what: "Python into a pipe", program: "python", command: `${PYTHON("sys.stdout.buffer")} | cat > "$OUT"` },
];

/** Archives of other programs that must be refused. */
export const REFUSED_BY_MAKER: readonly (Archiver & { readonly detail: string })[] = [
  { what: "zip with a password", program: "zip", command: 'zip -qr -P secret "$OUT" .', detail: "is encrypted" },
  {
    what: "7z with AES",
    program: "7z",
    command: '7z a -bd -tzip -psecret -mem=AES256 "$OUT" . > /dev/null',
    detail: "is encrypted",
  },
  {
    what: "7z with LZMA",
    program: "7z",
    command: '7z a -bd -tzip -mm=LZMA "$OUT" . > /dev/null',
    detail: "is compressed by LZMA",
  },
  {
    what: "7z with Deflate64",
    program: "7z",
    command: '7z a -bd -tzip -mm=Deflate64 "$OUT" . > /dev/null',
    detail: "is compressed by Deflate64",
  },
  { what: "zip with bzip2", program: "zip", command: 'zip -qr -Z bzip2 "$OUT" .', detail: "is compressed by bzip2" },
  {
    what: "zip with a link",
    program: "zip",
    command: 'ln -s /etc/passwd link && zip -qry "$OUT" .; rm link',
    detail: "is a symbolic link",
  },
  {
    what: "bsdtar with a link",
    program: "bsdtar",
    command: 'ln -s index.html link && bsdtar -a -cf "$OUT" .; rm link',
    detail: "is a symbolic link",
  },
  {
    what: "a split archive",
    program: "zip",
    command: 'head -c 200000 /dev/urandom > r && zip -qr -s 64k "$OUT" .; rm r',
    detail: "split archive",
  },
  // Info-ZIP's own unzip refuses this archive of its zip.
  {
    what: "zip with ZIP64 into a pipe",
    program: "zip",
    command: 'zip -qr -fz - . | cat > "$OUT"',
    detail: "is not where it says",
  },
  { what: "tar", program: "tar", command: 'tar -cf "$OUT" .', detail: "is not a ZIP archive but a tar archive" },
  {
    what: "tar with gzip",
    program: "tar",
    command: 'tar -czf "$OUT" .',
    detail: "is not a ZIP archive but a gzip file, such as a .tar.gz",
  },
  {
    what: "7z's own format",
    program: "7z",
    command: '7z a -bd -t7z "$OUT" . > /dev/null',
    detail: "is not a ZIP archive but a 7z archive",
  },
];

/** A small site with special cases: empty files, folders, non-ASCII names, and incompressible content. */
export const SAMPLE_SITE: Readonly<Record<string, string | Uint8Array>> = {
  "index.html": "<h1>hello</h1>".repeat(200),
  "empty.txt": "",
  "a/b/c/deep.css": "body { margin: 0 }",
  "größe/日本.html": "names beyond ASCII",
  "noise.bin": new Bun.CryptoHasher("sha512").update("noise").digest(),
  ".well-known/security.txt": "Contact: mailto:security@site.example",
  "with space & more.txt": "plain",
};

export function writeSite(folder: string, site = SAMPLE_SITE): void {
  for (const [path, content] of Object.entries(site)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export async function makeArchive({ what, command }: Archiver, folder: string): Promise<Buffer> {
  const out = `${folder}.${Bun.hash(what).toString(36)}.zip`;
  const { exited, stderr } = Bun.spawn(["sh", "-c", command], {
    cwd: folder,
    env: { ...process.env, LC_ALL: "C.UTF-8", OUT: out },
    stderr: "pipe",
  });
  if ((await exited) !== 0) throw new Error(`${command}: ${await new Response(stderr).text()}`);
  const bytes = readFileSync(out);
  rmSync(out);
  return bytes;
}
