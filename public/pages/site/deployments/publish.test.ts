import { expect, test } from "bun:test";
import { ManualApi } from "../../../testing/browser.ts";
import { settled } from "../../../testing/mount.ts";
import { siteNamed } from "../../../testing/site.ts";
import { watchToasts } from "../../../testing/toasts.ts";
import { publish } from "./publish.ts";

test("undo restores the deployment that was live just before, whoever published it", async () => {
  using api = new ManualApi();
  using toasts = watchToasts();
  const published = publish("rolling", 2);
  await api.respond("GET /sites", [siteNamed("rolling", { active_deployment: 5 })]);
  await api.respond("POST /sites/rolling/deployments/2/activate", {});
  await published;
  await settled();
  const [toast] = toasts.all;
  expect(toast?.text).toBe("Deployment 2 is live.");
  void toast?.undo?.();
  await api.respond("POST /sites/rolling/deployments/5/activate", {});
  expect(toasts.all.at(-1)).toMatchObject({ text: "Deployment 5 is live.", undo: null });
});

test.each([
  ["the list of sites cannot be loaded", { detail: "service unavailable" }, 503],
  ["nothing was live", [siteNamed("rolling", { active_deployment: null })], 200],
])("a deployment is published without an undo if %s", async (_, body, status) => {
  using api = new ManualApi();
  using toasts = watchToasts();
  const published = publish("rolling", 2);
  await api.respond("GET /sites", body, status);
  await api.respond("POST /sites/rolling/deployments/2/activate", {});
  await published;
  await settled();
  expect(toasts.all).toMatchObject([{ text: "Deployment 2 is live.", undo: null }]);
});
