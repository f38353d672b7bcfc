/**
 * Mounts a small file system at an empty folder during the work. Test files that mount end in `.disk.test.ts`; `npm
 * test` runs them in a mount namespace.
 */
export async function withDisk(folder: string, options: string, work: () => Promise<void>): Promise<void> {
  await mountDisk(folder, options);
  try {
    await work();
  } finally {
    await unmountDisk(folder);
  }
}

/** Mounts a tmpfs with options such as `size=64k`. */
export async function mountDisk(folder: string, options: string): Promise<void> {
  await Bun.$`mount -t tmpfs -o ${options} vitrine-test ${folder}`;
}

/** Unmounts even if it is still in use. */
export async function unmountDisk(folder: string): Promise<void> {
  await Bun.$`umount --lazy ${folder}`.nothrow().quiet();
}
