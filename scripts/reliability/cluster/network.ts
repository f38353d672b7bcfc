import type { Subprocess } from "bun";
import { $ } from "bun";

// The script and the servers that all nodes share run in one network namespace, each node in its own. A bridge connects
// them. The machine's own network is not changed.

/** The address of the balancer, the database, S3 and the clients. */
export const HUB = "10.77.0.1";
const BRIDGE = "vitrine0";

export interface NodeNetwork {
  readonly address: string;
  /** The start of a command that runs in it. */
  readonly enter: readonly string[];
  /** Drops all packets from and to a port of the hub, or of the node itself. Nobody is notified. */
  cut(port: number): Promise<void>;
  /** Ends all cuts. */
  heal(): Promise<void>;
}

/** Set for the script that runs in the namespace. */
const INSIDE = "IN_CLUSTER_NETWORK";

/** Runs the script again in namespaces of its own and exits with its status, unless it runs there already. */
export async function enterOwnNetwork(): Promise<void> {
  if (process.env[INSIDE]) {
    await $`ip link set lo up && ip link add ${BRIDGE} type bridge && ip addr add ${HUB}/24 dev ${BRIDGE} && ip link set ${BRIDGE} up`;
    return;
  }
  // Everything that the script starts ends with it, because a shell in front of it is the first process of its own
  // namespace of processes. The shell also collects what servers leave behind.
  const shell = ["sh", "-c", '"$@"; exit $?', "sh"];
  const own = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", ...shell];
  const script = Bun.spawn([...own, process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, [INSIDE]: "yes" },
    stdio: ["inherit", "inherit", "inherit"],
  });
  const end = () => script.kill("SIGTERM");
  process.on("SIGINT", end).on("SIGTERM", end);
  process.exit(await script.exited);
}

/** Adds the network of the node with this number, from 1. */
export async function addNodeNetwork(number: number): Promise<NodeNetwork> {
  const address = `10.77.0.${10 + number}`;
  // A namespace lives as long as a process in it.
  const keeper: Subprocess = Bun.spawn(["unshare", "--net", "sleep", "infinity"], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  const enter = ["nsenter", `--net=/proc/${keeper.pid}/ns/net`];
  const [outer, inner] = [`node${number}`, `inner${number}`];
  while (await isOutside(keeper.pid)) await Bun.sleep(5);
  await $`ip link add ${outer} type veth peer name ${inner} netns ${keeper.pid}`;
  await $`ip link set ${outer} master ${BRIDGE} up`;
  await $`${enter} ip addr add ${address}/24 dev ${inner}`;
  await $`${enter} ip link set ${inner} up`;
  await $`${enter} ip link set lo up`;
  return {
    address,
    enter,
    async cut(port) {
      const rule = (hook: string) =>
        `chain ${hook} { type filter hook ${hook} priority 0; tcp dport ${port} drop; tcp sport ${port} drop; }\n`;
      const rules = `table inet cut${port} {\n${rule("input")}${rule("output")}}\n`;
      await $`${enter} nft -f - < ${new Response(rules)}`.quiet();
    },
    async heal() {
      await $`${enter} nft flush ruleset`.quiet();
    },
  };
}

// --- internal ---

/** Whether a process that was just started has not yet entered its namespace. */
async function isOutside(pid: number): Promise<boolean> {
  const [own, its] = await Promise.all(
    ["self", String(pid)].map((name) => $`readlink /proc/${name}/ns/net`.quiet().nothrow().text()),
  );
  return own === its || its === "";
}
