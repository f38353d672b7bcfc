import { Type as t } from "@sinclair/typebox";
import { MAX_CLIENT_NAME_LENGTH } from "../../domain/accounts/device-authorization.ts";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "../../domain/accounts/password-rules.ts";
import type { LimitedSessionCaller } from "../../domain/model/caller.ts";
import type { PollError } from "../../domain/model/device.ts";
import { scopeOf } from "../../domain/model/scope.ts";
import type { User } from "../../domain/model/user.ts";
import type { Session } from "../../domain/ports/store/sessions.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { AssertionResponse } from "./passkeys.ts";
import { text } from "./text.ts";
import { Moment, namedSchema, oneOf, TextOrNull } from "./values.ts";

const ApiUser = namedSchema("ApiUser", { login: t.String(), name: TextOrNull }, { login: "ada", name: "Ada Lovelace" });

export function apiUser({ login, name }: User): typeof ApiUser.static {
  return { login, name };
}

/** The scope of a session that may do less than its account. */
const GrantedScope = t.String({
  description: "All that the session may do, such as `preview site:blog`; absent for full access to the account",
});

export const SignedInUser = namedSchema(
  "SignedInUser",
  {
    login: t.String(),
    name: TextOrNull,
    provider: oneOf(["local", "github", "oidc"], {
      description: "The provider that signs the person in; local is a password of this server",
    }),
    operator: t.Boolean({ description: "Whether the person has the console, /admin, with this session" }),
    scope: t.Optional(GrantedScope),
  },
  { login: "ada", name: "Ada Lovelace", provider: "local", operator: true },
);

/** Returns the user of a limited session, which has no console. */
export function limitedUser({ user, limit }: LimitedSessionCaller): typeof SignedInUser.static {
  return { ...signedInUser({ ...user, operator: false }), scope: scopeOf(limit) };
}

export function signedInUser({ login, name, provider, operator }: User): typeof SignedInUser.static {
  return { login, name, provider, operator };
}

export const ChangePasswordRequest = namedSchema(
  "ChangePasswordRequest",
  {
    old_password: t.String(),
    new_password: t.String({
      minLength: MIN_PASSWORD_LENGTH,
      description: `${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
    }),
  },
  { old_password: "correct horse battery", new_password: "staple correct horse" },
);

export const ConfirmRequest = t.Object(
  { password: t.Optional(t.String()), response: t.Optional(AssertionResponse) },
  {
    title: "ConfirmRequest",
    description: "Either the password, or the response of a passkey",
    examples: [{ password: "correct horse battery" }],
  },
);

export const StartDeviceRequest = t.Object(
  {
    client_name: t.Optional(
      text({ minLength: 1, maxLength: MAX_CLIENT_NAME_LENGTH, description: "Shown to the person who approves" }),
    ),
    scope: t.Optional(
      t.String({
        description:
          "The access that the device requests, separated by spaces: `preview` or `publish`, and `site:<name>` for each site. `publish` without a site, and no scope, ask for full access to the account",
      }),
    ),
  },
  {
    title: "StartDeviceRequest",
    examples: [{ client_name: "vitrine on build-7" }, { client_name: "an agent", scope: "preview site:blog" }],
  },
);

export const StartDeviceResponse = namedSchema(
  "StartDeviceResponse",
  {
    device_code: t.String(),
    user_code: t.String(),
    verification_uri: t.String(),
    verification_uri_complete: t.String(),
    expires_in: t.Integer({ description: "Seconds" }),
    interval: t.Integer({ description: "Seconds between two polls" }),
  },
  {
    device_code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A",
    user_code: "WDJB-MJHT",
    verification_uri: "https://vitrine.example/device",
    verification_uri_complete: "https://vitrine.example/device?user_code=WDJB-MJHT",
    expires_in: 900,
    interval: 5,
  },
);

export const ScopeError = namedSchema(
  "ScopeError",
  { error: t.Literal("invalid_scope"), detail: t.String() },
  { error: "invalid_scope", detail: 'unknown scope "admin": send publish, preview or site:<name>' },
);

export const PollDeviceRequest = namedSchema(
  "PollDeviceRequest",
  { device_code: t.String({ minLength: 1, maxLength: 200 }) },
  { device_code: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A" },
);

export const PollDeviceResponse = namedSchema(
  "PollDeviceResponse",
  {
    access_token: t.String(),
    token_type: t.Literal("bearer"),
    expires_in: t.Integer(),
    user: ApiUser,
    scope: t.Optional(
      t.String({ description: "The granted scope; absent if the device requested none and got full access" }),
    ),
  },
  {
    access_token: "vts_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn",
    token_type: "bearer",
    expires_in: 2_592_000,
    user: { login: "ada", name: "Ada Lovelace" },
  },
);

/** The errors of RFC 8628 section 3.5, with a sentence for people. */
export const POLL_ERRORS: Readonly<Record<PollError, string>> = {
  authorization_pending: "authorization pending: nobody has approved or denied the device yet",
  slow_down: "slow down: this poll came too early, and the interval is now five seconds longer",
  expired_token: "expired token: the codes are too old; start again",
  access_denied:
    "access denied: the person denied the device, or their account was frozen or given a new password meanwhile",
  invalid_grant: "invalid grant: the device code is unknown or was used already, or went with its person's account",
};

export const PollDeviceError = namedSchema(
  "PollDeviceError",
  {
    error: oneOf(Object.keys(POLL_ERRORS) as PollError[]),
    detail: t.String(),
  },
  { error: "authorization_pending", detail: POLL_ERRORS.authorization_pending },
);

export const SessionResponse = namedSchema(
  "SessionResponse",
  {
    id: t.Integer(),
    client_name: t.String(),
    address: TextOrNull,
    created_at: Moment,
    last_used_at: Moment,
    expires_at: t.String({ format: "date-time", description: "Unless it is used before" }),
    current: t.Boolean({ description: "Whether this request used it" }),
    scope: t.Optional(GrantedScope),
    agent: t.Optional(t.Literal(true, { description: "It is that of an agent, and valid at /mcp alone" })),
  },
  {
    id: 7,
    client_name: "Firefox",
    address: "203.0.113.7",
    created_at: "2026-11-01T09:30:00.000Z",
    last_used_at: "2026-11-20T16:05:12.418Z",
    expires_at: "2026-12-20T16:05:12.418Z",
    current: true,
  },
);

export function sessionResponse(session: Session, currentId: number): typeof SessionResponse.static {
  return {
    id: session.id,
    client_name: session.clientName,
    address: session.address,
    created_at: timestamp(session.createdAt),
    last_used_at: timestamp(session.lastUsedAt),
    expires_at: timestamp(Math.min(session.expiresAt, session.lastUsedAt + session.idleLimit)),
    current: session.id === currentId,
    ...(session.limit ? { scope: scopeOf(session.limit) } : {}),
    ...(session.clientId === null ? {} : { agent: true as const }),
  };
}
