import { join } from "node:path";
import { createRoot, issueLeaf } from "../local-ca.ts";

/** A certificate for the name `localhost`, and the file of its root, which `folder` gets. */
export async function localhostCertificate(
  folder: string,
): Promise<{ readonly cert: string; readonly key: string; readonly rootFile: string }> {
  const root = await createRoot(Date.now());
  const rootFile = join(folder, "root.pem");
  await Bun.write(rootFile, root.chain);
  const { chain, key } = await issueLeaf(root, ["localhost"], Date.now());
  return { cert: chain, key, rootFile };
}
