import { expect, test } from "bun:test";
import type { ProviderName } from "../model/user.ts";
import { decideLogin } from "./shown-login.ts";

const identity = (provider: ProviderName, login: string) => ({
  provider,
  subject: "s",
  login,
  name: null,
  avatarUrl: null,
});

test.each([
  ["a free login is shown", "oidc", "ann", null, { login: "ann", otherLogin: null }],
  ["a taken login gets the user's id", "oidc", "ann", 3, { login: "ann~7", otherLogin: null }],
  ["on GitHub the user who was renamed gets their id", "github", "ann", 3, { login: "ann", otherLogin: "ann~3" }],
  ["a login that looks suffixed gets the user's id", "oidc", "ann~3", null, { login: "ann~3~7", otherLogin: null }],
  ["a login with a tilde in it is shown", "oidc", "ann~x", null, { login: "ann~x", otherLogin: null }],
] as const)("%s", (_what, provider, login, otherId, shown) => {
  expect(decideLogin(identity(provider, login), 7, otherId)).toEqual(shown);
});
