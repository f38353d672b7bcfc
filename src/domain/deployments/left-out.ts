/** Folders that are never published: metadata, and credentials of tools that write them into a home folder or a project. */
const FOLDERS = { metadata: ["__MACOSX", ".git", ".svn", ".hg"], credentials: [".ssh", ".aws"] } as const;
const FILES = { metadata: [".DS_Store", "Thumbs.db"], credentials: [".npmrc", ".netrc", ".pypirc"] } as const;

/** `.env`, `.env.local`, `.env.production`, but not the template that projects publish on purpose. */
const ENV_FILE = /^\.env(?!\.example$)(?:\..+)?$/;

/** A fast check that most paths need not be split. */
const SUSPICIOUS = /\.(?:git|svn|hg|ssh|aws|npmrc|netrc|pypirc|env|DS_Store)|__MACOSX|Thumbs\.db/;

/**
 * Returns the file or folder that contains a path and is never published, a folder with a slash at its end; null for
 * all other paths. Clients use the same table, so that such files are not even sent.
 */
export function leftOutBy(path: string, isFolder = false): string | null {
  if (!SUSPICIOUS.test(path)) return null;
  const segments = path.split("/");
  const folders = isFolder ? segments : segments.slice(0, -1);
  const depth = folders.findIndex((name) => isAmong(FOLDERS.metadata, name) || isAmong(FOLDERS.credentials, name));
  if (depth >= 0) return `${segments.slice(0, depth + 1).join("/")}/`;
  const name = segments.at(-1) as string;
  return !isFolder && (isAmong(FILES.metadata, name) || isCredentialFile(name)) ? path : null;
}

/** Returns whether something that `leftOutBy` returned may hold credentials. */
export function mayHoldCredentials(leftOut: string): boolean {
  const name = leftOut.replace(/\/$/, "").split("/").at(-1) as string;
  return leftOut.endsWith("/") ? isAmong(FOLDERS.credentials, name) : isCredentialFile(name);
}

// --- internal ---

function isCredentialFile(name: string): boolean {
  return isAmong(FILES.credentials, name) || ENV_FILE.test(name);
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
