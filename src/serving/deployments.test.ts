import { expect, test } from "bun:test";
import type { Manifest } from "../domain/deployments/manifest.ts";
import { makeServedDeployments } from "./deployments.ts";
import type { HostingPorts } from "./ports.ts";

const manifestOf = (files: number): Manifest => ({
  files: Array.from({ length: files }, (_, n) => ({ path: `${n}`.padEnd(1000, "x"), digest: "0".repeat(64), size: 1 })),
  redirects: [],
  headers: [],
});

test("a large deployment that is visited again is kept, however many small ones there are", async () => {
  const [small, large] = [manifestOf(10), manifestOf(2000)];
  const read: number[] = [];
  const store = {
    generation: () => 1,
    deployments: {
      async manifest(id: number) {
        read.push(id);
        return id === 0 ? large : small;
      },
    },
    encodings: { ofDeployment: async () => ({ sizes: new Map(), complete: true }) },
  } as unknown as HostingPorts["store"];
  const { load } = makeServedDeployments({ store } as HostingPorts, 0);
  // 20 kB each of 24 MiB: twice as many as there is room for.
  for (let id = 1; id <= 2500; id++) await load(id);
  read.length = 0;
  for (let visit = 0; visit < 20; visit++) {
    await load(0);
    // The one that was read last is kept in any case.
    await load(3000 + visit);
  }
  expect(read.filter((id) => id === 0).length).toBeLessThan(5);
});
