import { ECDSA_SHA256, exportPrivateKey, generateKeyPair } from "../../x509/keys.ts";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "../../x509/x509.ts";

/** Returns a new self-signed certificate and its key (PEM) for hostnames. */
export async function selfSigned(
  hostname: string,
  ...others: readonly string[]
): Promise<{ cert: string; key: string }> {
  const keys = await generateKeyPair();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${hostname}`,
    keys,
    signingAlgorithm: ECDSA_SHA256,
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [new SubjectAlternativeNameExtension([hostname, ...others].map((value) => ({ type: "dns", value })))],
  });
  return { cert: `${certificate.toString("pem")}\n`, key: await exportPrivateKey(keys) };
}
