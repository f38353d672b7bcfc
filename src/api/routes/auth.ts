import { Type as t } from "@sinclair/typebox";
import { changePassword } from "../../domain/accounts/change-password.ts";
import { confirmSignIn } from "../../domain/accounts/confirm-sign-in.ts";
import { cookies } from "../../domain/accounts/cookie.ts";
import { passwordProblem } from "../../domain/accounts/password-rules.ts";
import { DomainError, fieldError } from "../../domain/errors.ts";
import { GROUPS_HOLD } from "../../domain/model/group.ts";
import { connectionOf } from "../connection.ts";
import { reply, route } from "../route.ts";
import {
  ChangePasswordRequest,
  ConfirmRequest,
  limitedUser,
  SessionResponse,
  SignedInUser,
  sessionResponse,
  signedInUser,
} from "../schemas/auth.ts";
import { GroupsResponse, groupsResponse } from "../schemas/groups.ts";

const common = { tag: "Authentication", auth: "session" } as const;

/** The signed-in user, their password and their sessions. */
export const authRoutes = [
  route({
    ...common,
    endpoint: "GET /auth/me",
    summary: "Get the signed-in user",
    auth: "person",
    response: { 200: SignedInUser },
    handler: ({ caller, ports }) => {
      if (caller.kind === "limited_session") return limitedUser(caller);
      return signedInUser({ ...caller.user, operator: caller.user.operator && ports.admin });
    },
  }),

  route({
    ...common,
    endpoint: "GET /auth/groups",
    summary: "Get your groups at the OIDC provider",
    description: `Each sign-in tells them, and they hold for ${GROUPS_HOLD} from then on.`,
    response: { 200: GroupsResponse },
    handler: async ({ caller, ports }) =>
      groupsResponse(ports.provider.groupsClaim ?? null, await ports.store.groups.ofUser(caller.user.id, caller.at)),
  }),

  route({
    ...common,
    endpoint: "POST /auth/password",
    summary: "Change your password",
    description: "Ends your other sessions, and denies devices that you approved and that have not signed in yet.",
    body: ChangePasswordRequest,
    errors: {
      403: "a session token is required, or the old password is wrong",
      409: "the password is not kept here, or was changed meanwhile",
      429: "too many sign-ins from this address",
    },
    audit: "Changed the password",
    handler: async ({ caller, body, request, ports }) => {
      const problem = passwordProblem(body.new_password);
      if (problem !== null) throw fieldError(["body", "new_password"], problem, "value_error");
      await changePassword(ports, caller, {
        oldPassword: body.old_password,
        newPassword: body.new_password,
        address: connectionOf(request).address,
      });
    },
  }),

  route({
    ...common,
    endpoint: "POST /auth/confirm",
    summary: "Confirm that it is you, with your password or a passkey",
    description:
      "Counts as a sign-in for this session: what gives away or destroys needs one of the last 15 minutes. The challenge " +
      "for a passkey comes from `POST /sign-in/passkey/options`.",
    body: ConfirmRequest,
    errors: {
      403: "the password is wrong, or the passkey was not accepted",
      409: "the password is not kept here: sign in again with the provider",
      429: "too many sign-ins from this address",
    },
    audit: ({ way }) => (way === "passkey" ? "Confirmed the sign-in with a passkey" : "Confirmed the password"),
    handler: async ({ caller, body, request, ports }) => {
      const { address } = connectionOf(request);
      const { password, response } = body;
      if (password !== undefined && response === undefined) {
        await confirmSignIn(ports, caller, { password, address });
        return reply(undefined, { audit: { way: "password" } });
      }
      if (password !== undefined || response === undefined) {
        throw fieldError(["body"], "Send either password or response", "value_error");
      }
      const browserSecret = cookies(ports.links.base).passkey.read(request.headers.get("cookie"));
      await confirmSignIn(ports, caller, { response, browserSecret, address });
      return reply(undefined, { audit: { way: "passkey" } });
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /auth/session",
    summary: "Revoke the session in use",
    auth: "person",
    audit: "Signed out",
    handler: async ({ caller, ports }) => {
      await ports.store.sessions.revoke(caller.sessionId, caller.user.id);
      return reply(undefined, { headers: { "set-cookie": cookies(ports.links.base).session.clear() } });
    },
  }),

  route({
    ...common,
    endpoint: "GET /auth/sessions",
    summary: "List your sessions, newest first",
    response: { 200: t.Array(SessionResponse) },
    handler: async ({ caller, ports }) => {
      const open = await ports.store.sessions.listOfUser(caller.user.id, ports.clock.now());
      return open.map((session) => sessionResponse(session, caller.sessionId));
    },
  }),

  route({
    ...common,
    endpoint: "DELETE /auth/sessions/:session_id",
    summary: "Revoke one of your sessions",
    params: { session_id: t.Integer() },
    errors: { 404: "the session does not exist" },
    audit: "Ended a session",
    handler: async ({ caller, params, ports }) => {
      const revoked = await ports.store.sessions.revoke(params.session_id, caller.user.id);
      if (!revoked) throw new DomainError("not_found", "the session does not exist");
    },
  }),
];
