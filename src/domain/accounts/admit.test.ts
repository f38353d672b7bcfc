import { expect, test } from "bun:test";
import type { Identity, Signup } from "../model/user.ts";
import { type Candidate, decideAdmission } from "./admit.ts";

const GRACE: Identity = {
  provider: "oidc",
  subject: "https://id.example#1",
  login: "grace",
  name: null,
  avatarUrl: null,
};
const LOCAL: Identity = { ...GRACE, provider: "local" };
const NOTHING: Candidate = { mayOwn: false, frozen: null, hasRole: false };
const OWNER: Candidate = { ...NOTHING, mayOwn: true };
const READER: Candidate = { ...NOTHING, hasRole: true };
const FROZEN: Candidate = { ...OWNER, frozen: { at: 0, reason: "unpaid" } };

const NOT_ADMITTED = "grace is not admitted here";

test.each<[string, Candidate | null, Signup, Identity, boolean | string]>([
  ["a stranger", null, "closed", GRACE, NOT_ADMITTED],
  ["a stranger", null, "open", GRACE, true],
  ["nobody's built-in account", null, "open", LOCAL, NOT_ADMITTED],
  ["an owner", OWNER, "closed", GRACE, true],
  ["a reader", READER, "closed", GRACE, false],
  ["a reader", READER, "open", GRACE, true],
  ["who is neither", NOTHING, "closed", GRACE, NOT_ADMITTED],
  ["who is neither", NOTHING, "open", GRACE, true],
  ["who is frozen", FROZEN, "closed", GRACE, "account is frozen: unpaid"],
  ["who is frozen", FROZEN, "open", GRACE, "account is frozen: unpaid"],
])("%s: %p with sign-up %s", (_who, candidate, signup, identity, expected) => {
  const decide = () => decideAdmission(candidate, identity, signup);
  if (typeof expected === "string") expect(decide).toThrow(expected);
  else expect(decide()).toBe(expected);
});
