import { ECDSA_SHA256, importKeyPair } from "./keys.ts";
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from "./x509.ts";

/** Returns a certificate signing request (RFC 2986, DER) for DNS names, signed with a private key in PEM form. */
export async function signingRequest(names: readonly string[], key: string): Promise<Uint8Array> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: await importKeyPair(key),
    signingAlgorithm: ECDSA_SHA256,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value })))],
  });
  return new Uint8Array(request.rawData);
}
