import { readFileSync, statSync } from "node:fs";
import type { Certificate } from "../../domain/certificates/certificate.ts";
import { errorCode, messageOf } from "../../domain/error-message.ts";
import { readCertificate } from "./read.ts";

/** The operator's own certificate: where its files lie. */
export interface CertificateFiles {
  readonly chain: string;
  readonly key: string;
}

/** Reads the operator's certificate and key. Throws with one sentence that names the file and what is wrong with it. */
export function readManualCertificate(files: CertificateFiles): Certificate {
  const [chain, key] = [read("--tls-cert", files.chain), read("--tls-key", files.key)];
  try {
    return readCertificate(chain, key, "manual");
  } catch (error) {
    throw new Error(`--tls-cert ${files.chain} with --tls-key ${files.key}: ${messageOf(error)}`);
  }
}

/** Names the files as they are now; another text once one of them was replaced, removed, or given to other readers. */
export function manualRevision(files: CertificateFiles): string {
  return [files.chain, files.key]
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((file) => (file ? `${file.ino} ${file.ctimeMs} ${file.size}` : "gone"))
    .join();
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = errorCode(error);
    const reason = code === "ENOENT" ? "no such file" : code === "EACCES" ? "this user may not read it" : code;
    throw new Error(`${flag} ${file} cannot be read: ${reason}`);
  }
}
