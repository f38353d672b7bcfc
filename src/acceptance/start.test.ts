import { expect, test } from "bun:test";
import { StartFailure } from "../compose.ts";
import { startAppliance } from "./testing/appliance.ts";

const refusal = (flags: Record<string, string>) =>
  startAppliance(flags).then(
    () => null,
    (error: unknown) => error,
  );

test("a second server on the same data folder refuses to start, and the first goes on", async () => {
  await using first = await startAppliance();
  const error = await refusal({ "data-dir": first.config.dataDir });
  expect(error).toBeInstanceOf(StartFailure);
  expect((error as Error).message).toContain(`another vitrine serves the data folder ${first.config.dataDir}`);
  expect((await first.call("GET", "/health")).status).toBe(200);
});

test("a port that is taken is named, also when it is another vitrine that has it", async () => {
  await using first = await startAppliance();
  const error = await refusal({ listen: `127.0.0.1:${first.config.listen.port}` });
  expect((error as Error).message).toBe(
    `cannot listen on 127.0.0.1:${first.config.listen.port}: another program uses this address: stop it, or give another with --listen`,
  );
});

test("a data folder can be served again as soon as the server before has stopped", async () => {
  const first = await startAppliance();
  await first.stop();
  await using second = await startAppliance({ "data-dir": first.config.dataDir });
  expect((await second.call("GET", "/health")).status).toBe(200);
});
