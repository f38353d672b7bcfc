import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { $, type Subprocess } from "bun";
import { IMAGE_SYSTEM } from "../../testing/needs.ts";
import { spawnToEnd } from "../../testing/spawn-to-end.ts";
import { executable } from "./executable.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");

/** An image's configuration. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export interface Image {
  readonly config: ImageConfig;
  readonly bytes: number;
  /** The folder of its files. */
  readonly root: string;
}

/**
 * Builds the last stage of the Dockerfile with buildah, in its own storage below `folder`. The earlier stages, which
 * fetch from registries, are replaced by the executable of this checkout and the system that `npm test` unpacked.
 */
export async function buildImage(folder: string): Promise<Image> {
  const [storage, build, empty, policy] = ["storage", "build", "empty", "policy.json"].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  for (const place of [join(build, "out"), empty]) mkdirSync(place, { recursive: true });
  cpSync(await executable(), join(build, "out", "vitrine"));
  writeFileSync(policy, '{ "default": [{ "type": "insecureAcceptAnything" }] }');
  const buildah = (...args: string[]) =>
    $`buildah --root ${storage} --runroot ${join(folder, "run")} --storage-driver vfs ${args}`.quiet().text();
  const contexts = [`build=${build}`, `system=${join(IMAGE_SYSTEM, "..")}`].flatMap((from) => [
    "--build-context",
    from,
  ]);
  const options = ["--isolation", "chroot", "--format", "docker", "--signature-policy", policy];
  await buildah("build", ...options, ...contexts, "-f", join(ROOT, "Dockerfile"), "-t", "vitrine", empty);
  const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", "vitrine"));
  const [{ size }] = JSON.parse(await buildah("images", "--json", "vitrine"));
  const container = (await buildah("from", "--signature-policy", policy, "--pull-never", "vitrine")).trim();
  return { config: Docker.config, bytes: bytesOf(size), root: (await buildah("mount", container)).trim() };
}

/** Parses buildah's human-readable sizes. */
function bytesOf(size: string): number {
  const [, number = "0", unit = "B"] = /^([\d.]+) (B|KB|MB|GB)$/.exec(size) ?? [];
  return Number(number) * 1000 ** ["B", "KB", "MB", "GB"].indexOf(unit);
}

/**
 * A container: the image's files, read-only, with its own processes, mounts and privileges, and the machine's network.
 */
export interface Container {
  readonly process: Subprocess<"ignore", "pipe", "pipe">;
  /** Resolves with the output when it contains `text`. Rejects if the process ends before. */
  says(text: string): Promise<string>;
  /** Runs a command in it, as `docker exec` does. */
  exec(...command: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }>;
  /** Sends it the image's stop signal. */
  stop(): void;
  /** Kills all of its processes. Resolves when they have ended. */
  kill(): Promise<void>;
}

/**
 * What a container runtime does for `docker run --read-only --cap-drop all --security-opt no-new-privileges`. The
 * system's folders are created before the image's become read-only.
 */
const RUN = `
set -eu
root=$1 volume=$2 user=$3 folder=$4 variables=$5; shift 5
mkdir -p "$root/proc" "$root/dev"
printf '127.0.0.1 localhost\\n' >"$root/etc/hosts"
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --bind "$volume" "$root/data"
mount -t tmpfs tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
unshare=$(command -v unshare)
exec env -i $variables "$(command -v setpriv)" --clear-groups --no-new-privs \\
  "$unshare" --root "$root" --wd "$folder" --setgid "\${user#*:}" --setuid "\${user%:*}" -- "$@"
`;

/** Runs the image with its own command, user and variables. `env` adds variables. */
export function runImage({ config, root }: Image, volume: string, env: Readonly<Record<string, string>>): Container {
  const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const command = [...config.Entrypoint, ...config.Cmd];
  const isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", RUN, "sh"];
  const container = Bun.spawn(
    [...isolated, root, volume, config.User, config.WorkingDir, variables.join(" "), ...command],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  const init = () => Number(readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, "utf8"));
  const said = collect(container);

  return {
    process: container,
    says: said.until,

    exec(...args) {
      const [uid = "", gid = ""] = config.User.split(":");
      const inside = ["--target", String(init()), "--mount", "--pid", "--root", `--wd=${root}${config.WorkingDir}`];
      const entered = [Bun.which("nsenter") ?? "nsenter", ...inside, "--setuid", uid, "--setgid", gid, "--", ...args];
      return spawnToEnd(["env", "-i", ...variables, ...entered], { env: process.env });
    },

    stop: () => void process.kill(init(), config.StopSignal),

    async kill() {
      // The signal that the kernel sends when `unshare` ends is lost when the program changes its user.
      if (container.exitCode === null && init() > 0) process.kill(init(), "SIGKILL");
      container.kill("SIGKILL");
      await container.exited;
    },
  };
}

/** Collects the output of a process on stderr. */
function collect(child: Subprocess<"ignore", "pipe", "pipe">) {
  let text = "";
  let ended = false;
  const waiting = new Set<() => void>();
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      text += decoder.decode(chunk, { stream: true });
      for (const look of waiting) look();
    }
    ended = true;
    for (const look of waiting) look();
  };
  read();
  const until = (wanted: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (text.includes(wanted)) resolve(text);
        else if (ended) reject(new Error(`the container ended without saying ${wanted}: ${text}`));
        else return;
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  return { until };
}
