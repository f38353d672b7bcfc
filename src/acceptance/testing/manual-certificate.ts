import { join } from "node:path";
import { selfSigned } from "../../clients/http/testing/self-signed.ts";

/** Writes a certificate for hostnames and its key into a folder. Returns the flags of a server that uses them. */
export async function manualCertificate(folder: string, hostname: string, ...others: readonly string[]) {
  const { cert, key } = await selfSigned(hostname, ...others);
  const [certificateFile, keyFile] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  await Bun.write(certificateFile, cert);
  await Bun.write(keyFile, key);
  return { tls: "manual", "tls-cert": certificateFile, "tls-key": keyFile };
}
