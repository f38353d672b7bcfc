import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { selfSigned } from "../clients/http/testing/self-signed.ts";
import { loadConfig, unknownVariables } from "../config/settings.ts";
import { needing } from "../testing/needing.ts";
import { scratchFolder } from "./testing/executable.ts";

// Checks the compose files against the settings table and the image.

const ROOT = join(import.meta.dir, "..", "..");

interface Service {
  readonly container_name: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly stop_grace_period: string;
}

interface ComposeFile {
  readonly services: { readonly vitrine: Service };
  readonly configs?: { readonly caddyfile: { readonly content: string } };
  readonly networks?: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

interface Nodes {
  readonly services: Readonly<
    Record<
      string,
      Omit<Service, "container_name" | "environment"> & {
        readonly environment: Readonly<Record<string, string>>;
        readonly networks: { readonly default: { readonly ipv4_address: string } };
      }
    >
  >;
}

const read = async (name: string) => YAML.parse(await Bun.file(join(ROOT, name)).text()) as ComposeFile;

/** The variables that the image sets. */
async function variablesOfImage(): Promise<Record<string, string>> {
  const dockerfile = await Bun.file(join(ROOT, "Dockerfile")).text();
  return Object.fromEntries([...dockerfile.matchAll(/\b(VITRINE_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

describe.each(["compose.yaml", "compose.proxy.yaml", "compose.laptop.yaml"])("%s", (name) => {
  test("uses settings that exist, and publishes ports that Vitrine listens on", async () => {
    const { vitrine } = (await read(name)).services;
    const env = { ...(await variablesOfImage()), ...vitrine.environment };
    expect(unknownVariables(env)).toEqual([]);
    const { listen, httpListen, dnsListen } = loadConfig({ flags: {}, env });
    const listening = [listen, httpListen, dnsListen].flatMap((address) => (address ? [String(address.port)] : []));
    const published = (vitrine.ports ?? []).map(
      (port) =>
        port
          .replace(/\/(udp|tcp)$/, "")
          .split(":")
          .at(-1) ?? "",
    );
    const isReached = [...new Set(published)].every((port) => listening.includes(port));
    expect([isReached, published.length > 0 || name === "compose.proxy.yaml"]).toEqual([true, true]);
  });

  test("runs without privileges, read-only except for its data, with enough time to drain", async () => {
    const { vitrine } = (await read(name)).services;
    expect(vitrine).toMatchObject({
      container_name: "vitrine",
      volumes: ["data:/data"],
      read_only: true,
      tmpfs: ["/tmp"],
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      stop_grace_period: "40s",
    });
  });
});

test("behind the web server trusts its network and publishes no port", async () => {
  const { services, networks } = await read("compose.proxy.yaml");
  expect(services.vitrine.ports).toBeUndefined();
  const [{ subnet = "" } = {}] = networks?.default.ipam.config ?? [];
  expect(services.vitrine.environment?.VITRINE_TRUSTED_PROXIES).toBe(subnet);
});

describe("several nodes", () => {
  const NAMES = ["one", "two", "three"] as const;
  const nodes = async () => {
    const { services } = YAML.parse(await Bun.file(join(ROOT, "compose.nodes.yaml")).text()) as Nodes;
    return NAMES.map((name) => [name, services[name]!] as const);
  };

  test("use settings that exist, each with a name and a volume of its own", async () => {
    for (const [name, { environment, volumes }] of await nodes()) {
      expect(unknownVariables({ ...environment })).toEqual([]);
      expect([environment.VITRINE_NODE_NAME, volumes]).toEqual([name, [`${name}:/data`]]);
    }
  });

  test("run without privileges, read-only except for their data, with enough time to drain", async () => {
    for (const [, node] of await nodes()) {
      expect(node).toMatchObject({
        read_only: true,
        tmpfs: ["/tmp"],
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        stop_grace_period: "50s",
      });
    }
  });

  test("are the servers of HAProxy's configuration, which the guide shows", async () => {
    const configuration = await Bun.file(join(ROOT, "haproxy.cfg")).text();
    const servers = [...configuration.matchAll(/^ {2}server (\w+) (\S+)$/gm)].map(([, name, address]) => [
      name,
      address,
    ]);
    const wanted = (await nodes()).map(([name, { networks }]) => [name, `${networks.default.ipv4_address}:8080`]);
    expect(servers).toEqual([...wanted, ...wanted]);
    const guide = await Bun.file(join(ROOT, "docs", "several-nodes.md")).text();
    expect(guide).toContain(`\`\`\`\n${configuration}\`\`\`\n`);
  });

  needing("haproxy").test("HAProxy accepts its configuration", async () => {
    using folder = scratchFolder();
    const [pem, file] = [join(folder.path, "pages.pem"), join(folder.path, "haproxy.cfg")];
    const { cert, key } = await selfSigned("pages.example.org");
    writeFileSync(pem, cert + key);
    const configuration = await Bun.file(join(ROOT, "haproxy.cfg")).text();
    writeFileSync(file, configuration.replace("/certificates/pages.pem", `"${pem}"`));
    const { exitCode, stderr } = await Bun.$`haproxy -c -f ${file}`.quiet().nothrow();
    expect([exitCode, stderr.toString()]).toEqual([0, expect.not.stringMatching(/ALERT|WARNING/)]);
  });
});

needing("caddy").test("the web server accepts its configuration and passes visits on to Vitrine's port", async () => {
  const { configs } = await read("compose.proxy.yaml");
  using folder = scratchFolder();
  writeFileSync(join(folder.path, "Caddyfile"), configs?.caddyfile.content ?? "");
  const adapted = await Bun.$`caddy adapt --config Caddyfile --adapter caddyfile`
    .cwd(folder.path)
    .env({ ...process.env, HOME: folder.path })
    .quiet()
    .text();
  expect(adapted).toContain('"upstreams":[{"dial":"vitrine:8080"}]');
});
