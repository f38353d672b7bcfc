import { expect, test } from "bun:test";
import { startHosted } from "./testing/hosted.ts";

test("every host of a renamed site redirects to the new one, before the access check", async () => {
  using sites = await startHosted();
  await sites.publish("old", { "index.html": "hello" }, { makePrivate: true });
  const { id } = (await sites.store.sites.find("old"))!;
  expect((await sites.get("old.sites.test")).status).toBe(404);
  await sites.store.sites.rename(id, { name: "new", at: 0, nameFreeAt: 1 });
  const locationOf = async (host: string, method = "GET") => {
    const response = await sites.get(host, "/a%20b?q=1", {}, method);
    return [response.status, response.headers.get("location")];
  };
  for (const label of ["", "1--", "pr-1--"]) {
    expect(await locationOf(`${label}old.sites.test`)).toEqual([308, `https://${label}new.sites.test/a%20b?q=1`]);
  }
  expect(await locationOf("old.sites.test:8443", "POST")).toEqual([308, "https://new.sites.test:8443/a%20b?q=1"]);
  expect(await locationOf("new.sites.test")).toEqual([404, null]);
  await sites.store.sites.deleteFreeNames(1);
  expect(await (await sites.get("old.sites.test")).text()).not.toContain("kept out");
});
