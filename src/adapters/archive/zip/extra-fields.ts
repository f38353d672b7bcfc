import { crc32 } from "node:zlib";
import { decodeName } from "./name.ts";
import { quoted, refusedEntry } from "./refusal.ts";

const ZIP64 = 0x0001;
const UNICODE_PATH = 0x7075;
const ASI_UNIX = 0x756e;

/** What the extra fields of a header say that matters here; everything else in them (times, owners) is passed over. */
export interface ExtraFields {
  readonly zip64: Buffer | null;
  /** The Info-ZIP Unicode path, which many programs show instead of the name, and the checksum of the name it is for. */
  readonly unicodePath: { readonly name: Buffer; readonly nameCrc: number } | null;
  readonly linkMode: number;
}

/** Reads the extra fields of the entry `name`. Up to three bytes of padding at their end are usual and accepted. */
export function readExtraFields(bytes: Buffer, name: string): ExtraFields {
  let zip64: Buffer | null = null;
  let unicodePath: ExtraFields["unicodePath"] = null;
  let linkMode = 0;
  for (let at = 0; at + 4 <= bytes.length; ) {
    const id = bytes.readUInt16LE(at);
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) throw refusedEntry(name, "has a damaged header: create the archive again");
    const body = bytes.subarray(at + 4, end);
    if (id === ZIP64) {
      if (zip64) throw refusedEntry(name, "states its size twice: create the archive again");
      zip64 = body;
    } else if (id === UNICODE_PATH && body.length >= 5 && body[0] === 1) {
      unicodePath = { name: body.subarray(5), nameCrc: body.readUInt32LE(1) };
    } else if (id === ASI_UNIX && body.length >= 6) {
      linkMode = body.readUInt16LE(4);
    }
    at = end;
  }
  return { zip64, unicodePath, linkMode };
}

/**
 * Refuses an entry whose Unicode path is another name: half of all programs would extract it under that one.
 * By its specification the field is void when its checksum is not that of the name.
 */
export function judgeUnicodePath({ unicodePath }: ExtraFields, name: string, nameBytes: Buffer): void {
  if (!unicodePath || unicodePath.nameCrc !== crc32(nameBytes)) return;
  const other = decodeName(unicodePath.name, true);
  if (other === name) return;
  throw refusedEntry(name, `is also called ${quoted(other)}: create the archive with UTF-8 names`);
}
