/**
 * Decodes a text as browsers do with what the server says: UTF-8 if the bytes are valid, which the server labels so.
 * Otherwise there is no label, and a byte order mark or the page's own declaration decides.
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decoderOf(byteOrderOf(bytes) ?? declaredIn(bytes)).decode(bytes);
  }
}

/** Returns whether a decoded text looks like one: bytes of another kind have control characters everywhere. */
export function isText(text: string): boolean {
  const start = text.slice(0, SAMPLE);
  const controls = start.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  return controls * 10 <= start.length;
}

// --- internal ---

const SAMPLE = 4096;

/** Browsers search a declaration at the start of a page only. */
const DECLARATION_BYTES = 1024;

function byteOrderOf([first, second]: Uint8Array): string | null {
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : null;
}

function declaredIn(bytes: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARATION_BYTES));
  return /<meta\b[^>]*?charset\s*=\s*["']?([\w-]+)|^@charset "([\w-]+)"/i.exec(start)?.slice(1).find(Boolean) ?? null;
}

/** Browsers read a page in an unknown encoding as Windows-1252. */
function decoderOf(label: string | null): TextDecoder {
  // A page that declares UTF-16 in ASCII is read as UTF-8.
  const name = label !== null && /^utf-16$/i.test(label) ? "utf-8" : (label ?? "windows-1252");
  try {
    return new TextDecoder(name as ConstructorParameters<typeof TextDecoder>[0]);
  } catch {
    return new TextDecoder("windows-1252");
  }
}
