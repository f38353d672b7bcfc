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

const NOTHING: ExtraFields = { zip64: null, unicodePath: null, linkMode: 0 };

/** Reads the extra fields of the entry `name`. Up to three bytes of padding at their end are usual and accepted. */
export function readExtraFields(bytes: Buffer, start: number, end: number, name: string): ExtraFields {
  let fields = NOTHING;
  for (let at = start; at + 4 <= end; ) {
    const id = bytes.readUInt16LE(at);
    const next = at + 4 + bytes.readUInt16LE(at + 2);
    if (next > end) throw refusedEntry(name, "has a damaged header: create the archive again");
    if (id === ZIP64 || id === UNICODE_PATH || id === ASI_UNIX) {
      fields = withField(fields, id, bytes.subarray(at + 4, next), name);
    }
    at = next;
  }
  return fields;
}

function withField(fields: ExtraFields, id: number, body: Buffer, name: string): ExtraFields {
  if (id === ZIP64) {
    if (fields.zip64) throw refusedEntry(name, "states its size twice: create the archive again");
    return { ...fields, zip64: body };
  }
  if (id === UNICODE_PATH && body.length >= 5 && body[0] === 1) {
    return { ...fields, unicodePath: { name: body.subarray(5), nameCrc: body.readUInt32LE(1) } };
  }
  return id === ASI_UNIX && body.length >= 6 ? { ...fields, linkMode: body.readUInt16LE(4) } : fields;
}

/**
 * Refuses an entry whose Unicode path is another name: half of all programs would extract it under that one.
 * By its specification the field is void when its checksum is not that of the name.
 */
export function validateUnicodePath({ unicodePath }: ExtraFields, name: string, nameBytes: () => Buffer): void {
  if (!unicodePath || unicodePath.nameCrc !== crc32(nameBytes())) return;
  const other = decodeName(unicodePath.name, 0, unicodePath.name.length, true);
  if (other === name) return;
  throw refusedEntry(name, `is also called ${quoted(other)}: create the archive with UTF-8 names`);
}
