import { Type as t } from "@sinclair/typebox";
import type { LimitsInForce } from "../../domain/limits/limits-in-force.ts";
import type { Room } from "../../domain/model/quota.ts";
import type { User } from "../../domain/model/user.ts";
import { namedSchema, oneOf, orNull } from "./values.ts";

const name = t.String();
const setting = orNull(t.String(), {
  description: "The setting by which the operator changes it, without its leading dashes; null where it is fixed",
});
const meaning = t.String();

const Use = t.Object({
  used: t.Integer(),
  limit: orNull(t.Integer(), { description: "Null where there is no limit" }),
});

export const LimitsResponse = namedSchema(
  "LimitsResponse",
  {
    limits: t.Array(
      t.Object({
        name,
        setting,
        unit: oneOf(["bytes", "seconds", "count"]),
        value: orNull(t.Number(), { description: "Null where there is no limit" }),
        meaning,
      }),
    ),
    rates: t.Array(
      t.Object({
        name,
        setting,
        count: orNull(t.Integer(), { description: "Requests in the window; null where there is no limit" }),
        seconds: orNull(t.Integer(), { description: "Length of the window" }),
        meaning,
      }),
    ),
    own: orNull(
      t.Object({
        login: t.String(),
        sites: Use,
        bytes: t.Object(Use.properties, { description: "Of all deployments that are kept, not only live ones" }),
      }),
      { description: "The quota and usage of the session's person; null without a session" },
    ),
  },
  {
    limits: [
      {
        name: "max_archive_bytes",
        setting: "max-archive-bytes",
        unit: "bytes",
        value: 536_870_912,
        meaning: "maximum size of an uploaded archive",
      },
    ],
    rates: [
      {
        name: "sign_in_rate",
        setting: "sign-in-rate",
        count: 10,
        seconds: 900,
        meaning: "maximum rate of sign-ins per IP address",
      },
    ],
    own: { login: "ada", sites: { used: 3, limit: 100 }, bytes: { used: 48_213, limit: null } },
  },
);

/** `own` is null if nobody is signed in. */
export function limitsResponse(
  { limits, rates }: LimitsInForce,
  own: (Room & { readonly user: User }) | null,
): typeof LimitsResponse.static {
  return {
    limits: limits.map((limit) => ({ ...limit })),
    rates: rates.map(({ rate, ...shown }) => ({
      ...shown,
      count: rate?.count ?? null,
      seconds: rate && rate.window / 1000,
    })),
    own: own && {
      login: own.user.login,
      sites: { used: own.usage.sites, limit: own.quota.sites },
      bytes: { used: own.usage.bytes, limit: own.quota.bytes },
    },
  };
}
