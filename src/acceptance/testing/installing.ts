import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { spawnToEnd } from "../../testing/spawn-to-end.ts";

const INSTALLER = join(import.meta.dir, "..", "..", "..", "install.sh");

/** The default paths of install.sh. */
const PLACES =
  /(?<![\w/])\/(?=(usr\/local\/bin|etc\/vitrine|etc\/systemd|etc\/sysctl\.d|var\/lib\/vitrine|run\/systemd)\b)/g;

/** The paths in commands of install.sh, which need quotes once they are in a folder whose name has a space. */
const PATHS_IN_COMMANDS = /(?<=^[A-Z_]+=|\[ -d )\/[\w./-]+/gm;

/**
 * The commands that change the machine, replaced by scripts that log their arguments. `restart` starts the installed
 * program.
 */
const STUBS = {
  id: "echo 0",
  chown: "",
  sysctl: "",
  useradd: "",
  userdel: "",
  sleep: "",
  systemctl: `echo "$*" >>"$MACHINE/systemctl.log"; [ "$1" != restart ] || exec "$MACHINE/usr/local/bin/vitrine" serve`,
  runuser: `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
};

interface Installing {
  readonly stderr: string;
  readonly status: number;
}

/**
 * A simulated machine with systemd, in a folder: install.sh with its paths moved there, and stubs for its commands.
 * Nothing on the real machine is changed, not even by root.
 */
export function machineIn(folder: string) {
  const bin = join(folder, "stubs");
  mkdirSync(bin, { recursive: true });
  for (const [name, script] of Object.entries(STUBS)) writeScript(join(bin, name), script);
  const script = join(folder, "install.sh");
  const quoted = readFileSync(INSTALLER, "utf8").replaceAll(PATHS_IN_COMMANDS, "'$&'");
  writeFileSync(script, quoted.replaceAll(PLACES, `${folder}/`));
  const env = { ...process.env, MACHINE: folder, PATH: `${bin}:${process.env.PATH}` };
  const places = ["usr", "etc", "var", "run", "systemctl.log"].map((name) => join(folder, name));
  return {
    at: (path: string) => join(folder, path),
    install: (...args: readonly string[]) => runInstaller(args, { script, env }),
    installIn: (cwd: string, ...args: readonly string[]) => runInstaller(args, { script, env, cwd }),
    /** The calls of systemctl so far. */
    systemctlCalls: () => readLines(join(folder, "systemctl.log")),
    renew: () => {
      for (const place of places) rmSync(place, { recursive: true, force: true });
      mkdirSync(join(folder, "run/systemd/system"), { recursive: true });
    },
  };
}

/** Runs install.sh, optionally with a umask and a working directory. */
export async function runInstaller(
  args: readonly string[],
  { script = INSTALLER, env = process.env as Record<string, string | undefined>, umask = "022", cwd = "" } = {},
): Promise<Installing> {
  const command = ["sh", "-c", `umask ${umask}; exec sh "$@"`, "sh", script, ...args];
  const { stdout, stderr, status } = await spawnToEnd(command, { env, cwd: cwd || dirname(script) });
  if (stdout !== "") throw new Error(`install.sh prints nothing on stdout, but did: ${stdout}`);
  return { stderr, status };
}

/**
 * Writes a program that responds as Vitrine does. `healthy` and `serve` are shell commands that change its behaviour.
 */
export function writeProgram(file: string, version: string, { healthy = "true", serve = "true" } = {}): string {
  const commands = [
    `version) echo ${version};;`,
    `serve) ${serve};;`,
    `doctor) ${healthy} && echo 'server: is running and healthy';;`,
  ];
  return writeScript(file, `case $1 in\n${commands.join("\n")}\nesac`);
}

/** Fills `folder` with links to all programs on PATH except that one, and returns it. */
export function pathWithout(program: string, folder: string): string {
  mkdirSync(folder);
  for (const place of (process.env.PATH ?? "").split(":").filter(existsSync)) {
    for (const name of readdirSync(place)) {
      const link = join(folder, name);
      if (name !== program && !existsSync(link)) symlinkSync(join(place, name), link);
    }
  }
  return folder;
}

function writeScript(file: string, script: string): string {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function readLines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
