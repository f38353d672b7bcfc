import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY } from "../domain/timestamp.ts";
import { type Hosted, startHosted } from "./testing/hosted.ts";

let hosted: Hosted;
beforeAll(async () => {
  hosted = await startHosted();
});
afterAll(() => hosted[Symbol.dispose]());

const ASSET = "/assets/app-0a1b2c3d.js";

test("from the request after its deletion, a deployment and its former files are gone", async () => {
  await hosted.publish("demo", { "index.html": "one", [ASSET.slice(1)]: "secret" });
  await hosted.publish("demo", { "index.html": "two" });
  const statuses = async () => {
    const responses = [await hosted.get("1--demo.sites.test"), await hosted.get("demo.sites.test", ASSET)];
    return responses.map(({ status }) => status);
  };
  for (let visit = 0; visit < 3; visit++) expect(await statuses()).toEqual([200, 200]);
  const site = await hosted.store.sites.find("demo");
  await hosted.store.deployments.delete(site!.id, 1, { at: hosted.now, actor: "ada" });
  expect(await statuses()).toEqual([410, 404]);
  expect(await (await hosted.get("1--demo.sites.test")).text()).toContain(
    "Deployment 1 of demo has expired or was deleted.",
  );
  expect(await (await hosted.get("demo.sites.test")).text()).toBe("two");
  await hosted.store.previews.deleteExpired(hosted.now + 30 * DAY);
  expect(await statuses()).toEqual([404, 404]);
});
