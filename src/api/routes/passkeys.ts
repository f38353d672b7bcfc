import { Type as t } from "@sinclair/typebox";
import { cookies } from "../../domain/accounts/cookie.ts";
import { CHALLENGE_LIFETIME_MS } from "../../domain/accounts/passkey-challenge.ts";
import { beginPasskeySignIn, signInWithPasskey } from "../../domain/accounts/passkey-sign-in.ts";
import {
  addPasskey,
  beginPasskey,
  passkeysProblem,
  removePasskey,
  removePassword,
  renamePasskey,
} from "../../domain/accounts/passkeys.ts";
import { NEEDS_RECENT_SIGN_IN } from "../../domain/model/recent-sign-in.ts";
import { localPath, passkeysHere, startBrowserSession } from "../browser.ts";
import { connectionOf } from "../connection.ts";
import { reply, route } from "../route.ts";
import { refuseOtherOrigins } from "../same-origin.ts";
import {
  AddPasskeyRequest,
  CreationOptions,
  PasskeyResponse,
  PasskeySignInRequest,
  PasskeySignInResponse,
  passkeyResponse,
  RenamePasskeyRequest,
  RequestOptions,
  SignInMethodsResponse,
} from "../schemas/passkeys.ts";

const common = { tag: "Authentication", auth: "session" } as const;
const ABSENT = { 404: "the passkey does not exist" };
const NONE_HERE = "passkeys are not possible at the base URL, or another provider signs people in";

/** Passkeys of accounts of this server: adding them, and signing in with one. */
export const passkeyRoutes = [
  route({
    ...common,
    endpoint: "GET /auth/sign-in-methods",
    summary: "Get how you can sign in",
    response: { 200: SignInMethodsResponse },
    handler: async ({ caller, request, ports }) => ({
      password: (await ports.store.users.passwordHash(caller.user.id)) !== null,
      passkeys_problem: passkeysProblem(ports, caller.user) ?? passkeysHere(ports, request).problem,
    }),
  }),

  route({
    ...common,
    endpoint: "POST /auth/passkeys/options",
    summary: "Begin a new passkey",
    description: "Sets a cookie that the request for the new passkey needs within 5 minutes.",
    response: { 200: CreationOptions },
    errors: { 409: NONE_HERE, 429: "too many attempts with passkeys from this address" },
    audit: null,
    handler: async ({ caller, request, ports }) => {
      const { options, browserSecret } = await beginPasskey(ports, caller, connectionOf(request).address);
      const cookie = cookies(ports.links.base).newPasskey.set(browserSecret, CHALLENGE_LIFETIME_MS);
      return reply(options, { headers: { "set-cookie": cookie } });
    },
  }),

  route({
    ...common,
    endpoint: "POST /auth/passkeys",
    summary: "Add the passkey that the browser created",
    description: NEEDS_RECENT_SIGN_IN,
    body: AddPasskeyRequest,
    response: { 201: PasskeyResponse },
    errors: {
      400: "the passkey does not fit the request for it, which is unknown, used or older than 5 minutes",
      403: "a recent sign-in is required",
      409: `the account has 10 passkeys, the passkey is known already, or ${NONE_HERE}`,
    },
    audit: ({ passkey }) => `Added the passkey ${passkey}`,
    handler: async ({ caller, body, request, ports }) => {
      const browserSecret = cookies(ports.links.base).newPasskey.read(request.headers.get("cookie"));
      const passkey = await addPasskey(ports, caller, { ...body, browserSecret });
      return reply(passkeyResponse(passkey), { audit: { passkey: passkey.name } });
    },
  }),

  route({
    ...common,
    endpoint: "GET /auth/passkeys",
    summary: "List your passkeys, oldest first",
    response: { 200: t.Array(PasskeyResponse) },
    handler: async ({ caller, ports }) => (await ports.store.passkeys.listOfUser(caller.user.id)).map(passkeyResponse),
  }),

  route({
    ...common,
    endpoint: "PATCH /auth/passkeys/:passkey_id",
    summary: "Rename one of your passkeys",
    body: RenamePasskeyRequest,
    response: { 200: PasskeyResponse },
    errors: ABSENT,
    audit: ({ passkey }) => `Renamed a passkey to ${passkey}`,
    handler: async ({ caller, params, body, ports }) => {
      const passkey = await renamePasskey(ports, caller, params.passkey_id, body.name);
      return reply(passkeyResponse(passkey), { audit: { passkey: passkey.name } });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /auth/passkeys/:passkey_id",
    summary: "Remove one of your passkeys",
    description: `${NEEDS_RECENT_SIGN_IN} Sessions that began with it stay.`,
    errors: { ...ABSENT, 403: "a recent sign-in is required", 409: "it is your last way to sign in" },
    audit: "Removed a passkey",
    handler: ({ caller, params, ports }) => removePasskey(ports, caller, params.passkey_id),
  }),

  route({
    ...common,
    endpoint: "DELETE /auth/password",
    summary: "Remove your password, and sign in with passkeys only",
    description: `${NEEDS_RECENT_SIGN_IN} Ends your other sessions, like a new password.`,
    errors: { 403: "a recent sign-in is required", 409: "you have no password, or no passkey to sign in with instead" },
    audit: "Removed the password",
    handler: ({ caller, ports }) => removePassword(ports, caller),
  }),

  route({
    endpoint: "POST /sign-in/passkey/options",
    tag: "Authentication",
    auth: "public",
    summary: "Begin a sign-in with a passkey",
    description: "Sets a cookie that the sign-in needs within 5 minutes.",
    response: { 200: RequestOptions },
    errors: {
      403: "the request came from a page of another origin",
      409: NONE_HERE,
      429: "too many attempts with passkeys from this address",
    },
    audit: null,
    handler: async ({ request, ports }) => {
      refuseOtherOrigins(request, ports.links.base);
      const { options, browserSecret } = await beginPasskeySignIn(ports, connectionOf(request).address);
      const cookie = cookies(ports.links.base).passkey.set(browserSecret, CHALLENGE_LIFETIME_MS);
      return reply(options, { headers: { "set-cookie": cookie } });
    },
  }),

  route({
    endpoint: "POST /sign-in/passkey",
    tag: "Authentication",
    auth: "public",
    summary: "Sign in with a passkey",
    description: "Sets the cookie of the dashboard's session. Every attempt uses up its challenge.",
    body: PasskeySignInRequest,
    response: { 200: PasskeySignInResponse },
    errors: {
      401: "the sign-in failed",
      403: "the account is frozen, or the request came from a page of another origin",
      429: "too many sign-ins from this address",
    },
    audit: "Signed in with a passkey",
    handler: async ({ body, request, ports }) => {
      refuseOtherOrigins(request, ports.links.base);
      const browserSecret = cookies(ports.links.base).passkey.read(request.headers.get("cookie"));
      const { address } = connectionOf(request);
      const { user, passkeyId } = await signInWithPasskey(ports, { response: body.response, browserSecret, address });
      const session = await startBrowserSession(ports, request, user, { passkeyId });
      const returnTo = localPath(body.return_to ?? null, ports.links);
      return reply({ return_to: returnTo }, { headers: { "set-cookie": session }, madeBy: user });
    },
  }),
];
