import { createRoot, issueLeaf } from "../../../clients/x509/local-ca.ts";
import { readCertificate } from "../../../clients/x509/read.ts";
import type { Certificate } from "../../../domain/model/certificate.ts";

/** Issues one certificate for each list of names, all with the same root. */
export async function certificates(...lists: string[][]): Promise<Certificate[]> {
  const root = await createRoot(Date.now());
  return Promise.all(
    lists.map(async (names) => {
      const { chain, key } = await issueLeaf(root, names, Date.now());
      return readCertificate(chain, key, "internal");
    }),
  );
}
