import { type Static, Type as t } from "@sinclair/typebox";
import { MAX_PASSKEY_NAME_LENGTH, type Passkey } from "../../domain/model/passkey.ts";
import { timestamp } from "../../domain/timestamp.ts";
import { text } from "./text.ts";
import { Moment, momentOrNull, namedSchema, orNull } from "./values.ts";

/** A binary value of WebAuthn. The body of a request has a limit of its own. */
const Binary = t.String({ minLength: 1, description: "base64url" });

const Credential = t.Object({ type: t.Literal("public-key"), id: t.String() });

const PasskeyName = text({ minLength: 1, maxLength: MAX_PASSKEY_NAME_LENGTH });

export const CreationOptions = t.Object(
  {
    rp: t.Object({ id: t.String(), name: t.String() }),
    user: t.Object({ id: t.String(), name: t.String(), displayName: t.String() }),
    challenge: t.String(),
    pubKeyCredParams: t.Array(t.Object({ type: t.Literal("public-key"), alg: t.Integer() })),
    timeout: t.Integer({ description: "Milliseconds" }),
    excludeCredentials: t.Array(Credential),
    authenticatorSelection: t.Object({
      residentKey: t.Literal("required"),
      requireResidentKey: t.Literal(true),
      userVerification: t.Literal("required"),
    }),
    attestation: t.Literal("none"),
  },
  {
    title: "PasskeyCreationOptions",
    description: "For `PublicKeyCredential.parseCreationOptionsFromJSON` in a browser",
    examples: [
      {
        rp: { id: "vitrine.example", name: "vitrine.example" },
        user: { id: "NWI2ZTNjMGM", name: "ada", displayName: "Ada Lovelace" },
        challenge: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A",
        pubKeyCredParams: [{ type: "public-key", alg: -7 }],
        timeout: 300_000,
        excludeCredentials: [],
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
      },
    ],
  },
);

export const RequestOptions = t.Object(
  {
    rpId: t.String(),
    challenge: t.String(),
    timeout: t.Integer({ description: "Milliseconds" }),
    userVerification: t.Literal("required"),
    allowCredentials: t.Array(Credential, { description: "Empty: the authenticator knows its passkeys" }),
  },
  {
    title: "PasskeyRequestOptions",
    description: "For `PublicKeyCredential.parseRequestOptionsFromJSON` in a browser",
    examples: [
      {
        rpId: "vitrine.example",
        challenge: "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS1A",
        timeout: 300_000,
        userVerification: "required",
        allowCredentials: [],
      },
    ],
  },
);

const identity = { id: Binary, rawId: Binary, type: t.Literal("public-key") };

const RegistrationResponse = t.Object(
  { ...identity, response: t.Object({ clientDataJSON: Binary, attestationObject: Binary }) },
  { description: "The result of `navigator.credentials.create`, from its `toJSON()`" },
);

export const AssertionResponse = t.Object(
  {
    ...identity,
    response: t.Object({
      clientDataJSON: Binary,
      authenticatorData: Binary,
      signature: Binary,
      userHandle: t.Optional(orNull(t.String())),
    }),
  },
  { description: "The result of `navigator.credentials.get`, from its `toJSON()`" },
);

const ASSERTION = {
  id: "AQIDBAUGBwgJCgsMDQ4PEA",
  rawId: "AQIDBAUGBwgJCgsMDQ4PEA",
  type: "public-key" as const,
  response: { clientDataJSON: "e30", authenticatorData: "SZYN5Y", signature: "MEUCIQ", userHandle: "NWI2ZTNjMGM" },
};

export const AddPasskeyRequest = namedSchema(
  "AddPasskeyRequest",
  { name: PasskeyName, response: RegistrationResponse },
  {
    name: "Laptop",
    response: { ...ASSERTION, response: { clientDataJSON: "e30", attestationObject: "o2NmbXRkbm9uZQ" } },
  },
);

export const RenamePasskeyRequest = namedSchema(
  "RenamePasskeyRequest",
  { name: PasskeyName },
  { name: "Security key" },
);

export const PasskeySignInRequest = namedSchema(
  "PasskeySignInRequest",
  {
    response: AssertionResponse,
    return_to: t.Optional(
      t.String({ description: "The path to open afterwards; `/` if it is not a path of this server" }),
    ),
  },
  { response: ASSERTION, return_to: "/dashboard/sites/blog" },
);

export const PasskeySignInResponse = namedSchema(
  "PasskeySignInResponse",
  { return_to: t.String() },
  { return_to: "/dashboard/sites/blog" },
);

export const SignInMethodsResponse = namedSchema(
  "SignInMethodsResponse",
  {
    password: t.Boolean({ description: "Whether you have a password here" }),
    passkeys_problem: orNull(t.String(), { description: "Why you cannot have passkeys here; null if you can" }),
  },
  { password: true, passkeys_problem: null },
);

export const PasskeyResponse = namedSchema(
  "PasskeyResponse",
  { id: t.String(), name: t.String(), created_at: Moment, last_used_at: orNull(Moment) },
  {
    id: "9f0c1d2e3a4b5c6d7e8f",
    name: "Laptop",
    created_at: "2026-11-01T09:30:00.000Z",
    last_used_at: "2026-11-20T16:05:12.418Z",
  },
);

export function passkeyResponse({ id, name, createdAt, lastUsedAt }: Passkey): Static<typeof PasskeyResponse> {
  return { id, name, created_at: timestamp(createdAt), last_used_at: momentOrNull(lastUsedAt) };
}
