// @peculiar/x509 requires this polyfill to be loaded first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

/** Returns a new self-signed certificate and its key (PEM) for hostnames. */
export async function selfSigned(
  hostname: string,
  ...others: readonly string[]
): Promise<{ cert: string; key: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${hostname}`,
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [
      new x509.SubjectAlternativeNameExtension([hostname, ...others].map((value) => ({ type: "dns", value }))),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`;
  return { cert: certificate.toString("pem"), key };
}
