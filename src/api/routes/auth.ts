import { Elysia, t } from "elysia";
import { changePassword } from "../../domain/accounts/change-password.ts";
import { cookies } from "../../domain/accounts/cookie.ts";
import { passwordProblem } from "../../domain/accounts/password-rules.ts";
import { DomainError, fieldError } from "../../domain/errors.ts";
import { requireSession } from "../../domain/sites/ownership.ts";
import { authenticated } from "../authenticate.ts";
import { connectionOf } from "../connection.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  ChangePasswordRequest,
  SessionResponse,
  SignedInUser,
  sessionResponse,
  signedInUser,
} from "../schemas/auth.ts";
import { deviceRoutes } from "./device.ts";

const tags = ["Authentication"];
const errors = { 403: "a session token is required" };

export function authRoutes(ports: ApiPorts) {
  return new Elysia().use(deviceRoutes(ports)).use(sessionRoutes(ports));
}

/** Who is signed in, and where else. */
function sessionRoutes(ports: ApiPorts) {
  return new Elysia()
    .use(authenticated(ports))
    .get("/auth/me", ({ caller }) => signedInUser(requireSession(caller).user), {
      response: { 200: SignedInUser },
      detail: describe({ summary: "Get the signed-in user", tags, errors }),
    })
    .post(
      "/auth/password",
      async ({ caller, body, request, set }) => {
        const session = requireSession(caller);
        const problem = passwordProblem(body.new_password);
        if (problem !== null) throw fieldError(["body", "new_password"], problem, "value_error");
        await changePassword(ports, session, {
          oldPassword: body.old_password,
          newPassword: body.new_password,
          address: connectionOf(request).address,
        });
        set.status = 204;
      },
      {
        body: ChangePasswordRequest,
        detail: describe({
          summary: "Change your password",
          description:
            "Ends your other sessions, and denies devices that you approved and that have not signed in yet.",
          tags,
          errors: {
            403: "a session token is required, or the old password is wrong",
            409: "the password is not kept here, or was changed meanwhile",
            429: "too many sign-ins from this address",
          },
        }),
      },
    )
    .delete(
      "/auth/session",
      async ({ caller, set }) => {
        const { sessionId, user } = requireSession(caller);
        await ports.store.sessions.revoke(sessionId, user.id);
        set.status = 204;
        set.headers["set-cookie"] = cookies(ports.links.base).session.clear();
      },
      { detail: describe({ summary: "Revoke the session in use", tags, errors }) },
    )
    .get(
      "/auth/sessions",
      async ({ caller }) => {
        const { sessionId, user } = requireSession(caller);
        const open = await ports.store.sessions.listOfUser(user.id, ports.clock.now());
        return open.map((session) => sessionResponse(session, sessionId));
      },
      {
        response: { 200: t.Array(SessionResponse) },
        detail: describe({ summary: "List your sessions, newest first", tags, errors }),
      },
    )
    .delete(
      "/auth/sessions/:session_id",
      async ({ caller, params, set }) => {
        const { user } = requireSession(caller);
        const revoked = await ports.store.sessions.revoke(params.session_id, user.id);
        if (!revoked) throw new DomainError("not_found", "the session does not exist");
        set.status = 204;
      },
      {
        params: t.Object({ session_id: t.Integer() }),
        detail: describe({
          summary: "Revoke one of your sessions",
          tags,
          errors: { ...errors, 404: "the session does not exist" },
        }),
      },
    );
}
