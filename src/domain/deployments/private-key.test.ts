import { expect, test } from "bun:test";
import { holdsPrivateKey } from "./private-key.ts";

/** Put together here, so that nobody's scanner finds a key in this file. */
const armor = (label: string) => `-----BEGIN ${label}-----\nMIIEvQIBADANBgkq\n-----END ${label}-----\n`;
const PRIVATE = ["PRIVATE", "KEY"].join(" ");

test.each<[string, string, boolean]>([
  ["PKCS 8", armor(PRIVATE), true],
  ["an encrypted key", armor(`ENCRYPTED ${PRIVATE}`), true],
  ["OpenSSL's older format", armor(`RSA ${PRIVATE}`), true],
  ["OpenSSH", armor(`OPENSSH ${PRIVATE}`), true],
  ["a key after a certificate", armor("CERTIFICATE") + armor(`EC ${PRIVATE}`), true],
  ["a key within a script", `const key = "${armor(PRIVATE).replaceAll("\n", "\\n")}";`, true],
  ["a certificate", armor("CERTIFICATE"), false],
  ["a public key", armor("PUBLIC KEY"), false],
  ["words about a private key", "Never publish a PRIVATE KEY-----", false],
  ["nothing", "", false],
  ["a file that is no text", `\0${armor(PRIVATE)}`, false],
  ["a key behind more armor than anybody has", armor("CERTIFICATE").repeat(100) + armor(PRIVATE), false],
])("in %s", (_, text, holds) => {
  expect(holdsPrivateKey(Buffer.from(text))).toBe(holds);
});
