/** The armor of RFC 7468, of OpenSSL's older formats, and of OpenSSH. */
const HEADER = /^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----/;
const BEGIN = "-----BEGIN ";
/** At least as long as the longest header. */
const HEADER_BYTES = 80;

/** Other armor in a text, such as certificates, that is looked at. A text of nothing else must not take long. */
const MAX_HEADERS = 100;

/** A file with a NUL byte here is no text, as for Git. */
const TEXT_PROBE_BYTES = 8000;

/** Returns whether a file is a text that holds a private key, encrypted or not. */
export function holdsPrivateKey(content: Buffer): boolean {
  let at = content.indexOf(BEGIN);
  if (at < 0 || content.subarray(0, TEXT_PROBE_BYTES).includes(0)) return false;
  for (let seen = 0; at >= 0 && seen < MAX_HEADERS; seen++) {
    if (HEADER.test(content.toString("latin1", at, at + HEADER_BYTES))) return true;
    at = content.indexOf(BEGIN, at + BEGIN.length);
  }
  return false;
}
