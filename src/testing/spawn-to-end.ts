interface SpawnOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly cwd?: string;
}

/** Runs a program with this input until it ends. */
export async function spawnToEnd(command: readonly string[], { input = "", ...options }: SpawnOptions) {
  const child = Bun.spawn([...command], { ...options, stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { stdout, stderr, status };
}
