import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Service } from "kubernetes-models/v1/Service";
import { loadConfig, unknownVariables } from "../config/settings.ts";

// Checks the manifest of docs/kubernetes.md against the schemas that Kubernetes publishes.

const ROOT = join(import.meta.dir, "..", "..");
const [, manifest = ""] = /```yaml\n(.*?)```/s.exec(await Bun.file(join(ROOT, "docs", "kubernetes.md")).text()) ?? [];
const documents = YAML.parse(manifest) as { readonly kind: string }[];

const KINDS = { Namespace, StatefulSet, Service, Ingress };
const named = documents.map((document) => [document.kind, document] as const);

/** The parts of a StatefulSet that the tests read. */
interface Workload {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Record<string, unknown>;
        readonly containers: readonly Container[];
        readonly volumes: readonly Record<string, unknown>[];
      } & Record<string, unknown>;
    };
  };
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: Record<string, unknown>;
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string } };
}

const { spec } = Object.fromEntries(named).StatefulSet as unknown as Workload;
const pod = spec.template.spec;
const [container] = pod.containers as [Container];

test("the manifest has every kind once, and one replica", () => {
  expect(named.map(([kind]) => kind)).toEqual(Object.keys(KINDS));
  expect(spec.replicas).toBe(1);
});

test.each(named)("%s is valid by its published schema", (kind, document) => {
  new KINDS[kind as keyof typeof KINDS](document as never).validate();
});

test("no object has a field that its kind does not know", async () => {
  // Beside the packages, where the compiler finds them.
  const folder = mkdtempSync(join(ROOT, "node_modules", ".kubernetes-"));
  try {
    const imports = Object.keys(KINDS).map((kind) => {
      const group = { StatefulSet: "apps/v1", Ingress: "networking.k8s.io/v1" }[kind] ?? "v1";
      return `import type { I${kind} } from "kubernetes-models/${group}/${kind}";`;
    });
    const values = named.map(([kind, document]) => `export const ${kind}: I${kind} = ${JSON.stringify(document)};`);
    await Bun.write(join(folder, "manifest.ts"), [...imports, ...values].join("\n"));
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"];
    const compiled = await Bun.$`${join(ROOT, "node_modules/.bin/tsc")} --ignoreConfig ${options} manifest.ts`
      .cwd(folder)
      .nothrow()
      .quiet();
    expect([compiled.exitCode, compiled.stdout.toString()]).toEqual([0, ""]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the pod passes the restricted profile", () => {
  test("as a user without privileges, with the runtime's seccomp profile", () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.securityContext.capabilities).not.toHaveProperty("add");
  });

  test("without access to the host", () => {
    for (const field of ["hostNetwork", "hostPID", "hostIPC"]) expect(pod).not.toHaveProperty(field);
    expect(pod.volumes.flatMap((volume) => Object.keys(volume))).toEqual(["name", "emptyDir"]);
  });
});

test("an ingress controller of NGINX counts no failures, because an unknown method closes the connection", () => {
  const ingress = Object.fromEntries(named).Ingress as unknown as { metadata: { annotations: object } };
  expect(ingress.metadata.annotations).toEqual({
    "nginx.org/max-fails": "0",
    "nginx.ingress.kubernetes.io/proxy-next-upstream": "off",
  });
});

test("probes use the health endpoints, and a full disk does not cause restarts", () => {
  const paths = ["startup", "liveness", "readiness"].map((name) => container[`${name}Probe` as const]?.httpGet.path);
  expect(paths).toEqual(["/health", "/ready", "/ready"]);
});

test("it uses existing settings and has enough time to drain", () => {
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
  const config = loadConfig({ flags: {}, env });
  expect(config).toMatchObject({ baseUrl: "https://pages.example.org", workers: 2 });
  expect(unknownVariables(env)).toEqual([]);
  const drain = (config.drainDelay ?? 0) / 1000 + 30;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain);
});
