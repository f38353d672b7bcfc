import { isNewerThanSources } from "../../testing/newer-than-sources.ts";

const SOURCES = Bun.fileURLToPath(new URL("../../main.ts", import.meta.url));
const EXECUTABLE = Bun.fileURLToPath(new URL("../../../dist/vitrine", import.meta.url));

/** The command that starts the program: the executable, which starts three times as fast, or else the sources. */
export const PROGRAM: readonly string[] = isNewerThanSources(EXECUTABLE) ? [EXECUTABLE] : [process.execPath, SOURCES];
