import { Type as t } from "@sinclair/typebox";
import { pollDeviceAuthorization, startDeviceAuthorization } from "../../domain/accounts/authorize-device.ts";
import { DEVICE_CODE_LIFETIME, POLL_INTERVAL_SECONDS } from "../../domain/accounts/device-authorization.ts";
import { parseScope, scopeProblem } from "../../domain/model/scope.ts";
import { connectionOf } from "../connection.ts";
import { reply, route } from "../route.ts";
import {
  apiUser,
  POLL_ERRORS,
  PollDeviceError,
  PollDeviceRequest,
  PollDeviceResponse,
  ScopeError,
  StartDeviceRequest,
  StartDeviceResponse,
} from "../schemas/auth.ts";

/** Not recorded, because anybody can call these, and they change nothing. */
const common = {
  tag: "Authentication",
  auth: "public",
  bodyFormat: "json-or-form",
  audit: null,
} as const;

/** The two operations for a device in device authorization (RFC 8628). The user opens the page at /device. */
export const deviceRoutes = [
  route({
    ...common,
    endpoint: "POST /auth/device",
    summary: "Start device authorization",
    description: "Returns a code for the device and one for the person (RFC 8628). Takes JSON or a form.",
    body: t.Optional(StartDeviceRequest),
    response: { 200: StartDeviceResponse, 400: ScopeError },
    errors: { 429: "too many device authorizations from this address" },
    handler: async ({ body, request, ports }) => {
      const { scope = "" } = body;
      const detail = scopeProblem(scope);
      if (detail !== null) return reply({ error: "invalid_scope" as const, detail }, { status: 400 });
      const clientName = body.client_name ?? "an unnamed program";
      const { address } = connectionOf(request);
      const { deviceCode, userCode } = await startDeviceAuthorization(ports, {
        clientName,
        address,
        scope: parseScope(scope),
      });
      const verificationUri = `${ports.links.base}/device`;
      return {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: verificationUri,
        verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
        expires_in: DEVICE_CODE_LIFETIME / 1000,
        interval: POLL_INTERVAL_SECONDS,
      };
    },
  }),

  route({
    ...common,
    endpoint: "POST /auth/device/token",
    summary: "Poll device authorization",
    description: "Returns the session token with the first poll after the person has approved.",
    body: PollDeviceRequest,
    response: { 200: PollDeviceResponse, 400: PollDeviceError },
    handler: async ({ body, ports }) => {
      const result = await pollDeviceAuthorization(ports, body.device_code);
      if ("error" in result) {
        return reply({ error: result.error, detail: POLL_ERRORS[result.error] }, { status: 400 });
      }
      return {
        access_token: result.token,
        token_type: "bearer" as const,
        expires_in: Math.floor(result.lifetime / 1000),
        user: apiUser(result.user),
        ...(result.scope === null ? {} : { scope: result.scope }),
      };
    },
  }),
];
