import { Elysia } from "elysia";
import { pollDeviceAuthorization, startDeviceAuthorization } from "../../domain/accounts/authorize-device.ts";
import { DEVICE_CODE_LIFETIME, POLL_INTERVAL } from "../../domain/accounts/device-authorization.ts";
import { readJsonOrForm } from "../body.ts";
import { connectionOf } from "../connection.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import {
  apiUser,
  POLL_ERRORS,
  PollDeviceError,
  PollDeviceRequest,
  PollDeviceResponse,
  StartDeviceRequest,
  StartDeviceResponse,
} from "../schemas/auth.ts";

const tags = ["Authentication"];

/** Sign-in through device authorization (RFC 8628): the two calls of the device. Its person uses the page at /device. */
export function deviceRoutes(ports: ApiPorts) {
  return new Elysia()
    .onParse(({ request }) => readJsonOrForm(request))
    .post(
      "/auth/device",
      async ({ body, request }) => {
        const clientName = body?.client_name ?? "an unnamed program";
        const { address } = connectionOf(request);
        const { deviceCode, userCode } = await startDeviceAuthorization(ports, { clientName, address });
        const verificationUri = `${ports.links.base}/device`;
        return {
          device_code: deviceCode,
          user_code: userCode,
          verification_uri: verificationUri,
          verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
          expires_in: DEVICE_CODE_LIFETIME / 1000,
          interval: POLL_INTERVAL,
        };
      },
      {
        // A client without a name may send no body at all.
        transform: (context) => {
          context.body ??= {};
        },
        body: StartDeviceRequest,
        response: { 200: StartDeviceResponse },
        detail: describe({
          summary: "Start device authorization",
          description: "Returns a code for the device and one for the person (RFC 8628). Takes JSON or a form.",
          tags,
          credential: null,
          takesForm: true,
          errors: { 429: "too many device authorizations from this address" },
        }),
      },
    )
    .post(
      "/auth/device/token",
      async ({ body, status }) => {
        const result = await pollDeviceAuthorization(ports, body.device_code);
        if ("error" in result) {
          return status(400, { error: result.error, detail: POLL_ERRORS[result.error] });
        }
        return {
          access_token: result.token,
          token_type: "bearer" as const,
          expires_in: Math.floor(result.lifetime / 1000),
          user: apiUser(result.user),
        };
      },
      {
        body: PollDeviceRequest,
        response: { 200: PollDeviceResponse, 400: PollDeviceError },
        detail: describe({
          summary: "Poll device authorization",
          description: "Returns the session token with the first poll after the person has approved.",
          tags,
          credential: null,
          takesForm: true,
        }),
      },
    );
}
