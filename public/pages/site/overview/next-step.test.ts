import { expect, test } from "bun:test";
import type { WorkingRole } from "../../../../src/domain/model/role.ts";
import type { Alias, Deployment, DomainClaim } from "../../../api/types.ts";
import { nextStepOf } from "./next-step.ts";

const NOW = Date.parse("2026-11-22T22:00:00.000Z");

const deployment = (deployment_number: number, facts: Partial<Deployment> = {}) =>
  ({ deployment_number, active: false, warnings: [], ...facts }) as unknown as Deployment;
const alias = (name: string, expires_at: string | null) => ({ name, deployment_number: 7, expires_at }) as Alias;
const claim = (hostname: string, facts: Partial<DomainClaim>) =>
  ({ hostname, expires_at: "2026-11-27T23:00:00.000Z", activated_at: null, ...facts }) as DomainClaim;

const WARNED = deployment(3, { active: true, warnings: [{ file: "_redirects", line: 1, message: "no" }] });
const GONE = { ...WARNED, start_page_gone: true };
const VERIFY = claim("new.example", { status: "pending", connection_status: "waiting_for_dns" });
const POINT = claim("next.example", { status: "verified", connection_status: "waiting_for_dns" });
const MEND = claim("old.example", { status: "verified", connection_status: "action_needed" });
const CONNECTED = claim("www.example", { status: "verified", connection_status: "connected" });
const END_SIGNALS = alias("pr-7", "2026-11-23T03:00:00.000Z");

interface Given {
  readonly live?: number | null;
  readonly role?: WorkingRole;
  readonly deployments?: readonly Deployment[];
  readonly aliases?: readonly Alias[];
  readonly claims?: readonly DomainClaim[];
}

test.each<[fact: string, given: Given, title: string | null]>([
  ["nothing to do", { claims: [CONNECTED], aliases: [alias("beta", null)] }, null],
  ["only previews", { live: null, deployments: [deployment(2)], claims: [MEND] }, "Publish a deployment."],
  ["no deployment at all", { live: null }, null],
  ["no start page before a broken domain", { deployments: [GONE], claims: [MEND] }, "The start page is gone."],
  ["a broken domain before a new one", { claims: [VERIFY, MEND] }, "old.example needs attention."],
  ["a new domain before one that is verified", { claims: [POINT, VERIFY] }, "Verify new.example."],
  [
    "a verified domain before an alias that ends",
    { claims: [POINT], aliases: [END_SIGNALS] },
    "Point next.example to this server.",
  ],
  ["an alias that ends soon", { aliases: [END_SIGNALS] }, "The preview pr-7 ends soon."],
  ["an alias that ends in days", { aliases: [alias("pr-8", "2026-11-25T22:00:00.000Z")] }, null],
  [
    "a domain, for somebody who may not change domains",
    { role: "deployer", claims: [VERIFY, POINT], aliases: [END_SIGNALS] },
    "The preview pr-7 ends soon.",
  ],
  ["warnings of the live deployment, which its card shows", { deployments: [WARNED] }, null],
])("the next step with %s: %j", (_fact, given, title) => {
  const { live = 3, role = "owner", deployments = [], aliases = [], claims = [] } = given;
  const site = { name: "blog", active_deployment: live, role };
  expect(nextStepOf({ site, deployments, aliases, claims, now: NOW })?.title ?? null).toBe(title);
});

test("a step has a deadline and a link", () => {
  const step = nextStepOf({
    site: { name: "blog", active_deployment: 3, role: "owner" },
    deployments: [],
    aliases: [],
    claims: [VERIFY],
    now: NOW,
  });
  expect(step).toMatchObject({
    text: "Add one TXT record within 5 days.",
    action: "Show record",
    href: "/dashboard/sites/blog/settings/domains",
  });
});
