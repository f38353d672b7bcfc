import type { DeviceAuthorization, SessionGrant } from "../../api/schemas/types.ts";
import { parseJsonObject } from "../../domain/json.ts";
import { Failure } from "../terminal/errors.ts";
import { apiError } from "./api-error.ts";
import type { ApiClient } from "./client.ts";

/** RFC 8628 section 3.5: `slow_down` permanently adds this many seconds to the interval. */
const SLOW_DOWN_STEP_SECONDS = 5;
/** The default interval of the same section. */
const USUAL_INTERVAL_SECONDS = 5;

/** Polls until the user approves the device. Throws when they deny it or the code expires. */
export async function waitForApproval(
  client: ApiClient,
  device: DeviceAuthorization,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<SessionGrant> {
  // An interval of 0 would poll without a pause.
  let interval = device.interval || USUAL_INTERVAL_SECONDS;
  let unreachable = 0;
  for (let waited = 0; waited < device.expires_in; waited += interval) {
    await sleep(interval * 1000);
    const response = await poll(client, device.device_code);
    if (response === "unreachable") {
      // Section 3.5 requires backoff on time-outs. A laptop that changes networks must not have to start again.
      unreachable++;
      interval = Math.min(interval * 2, 60);
      if (unreachable > 3) throw new Failure(`${client.server} does not respond any more`, START_AGAIN);
      continue;
    }
    unreachable = 0;
    if (response === "slow_down") interval += SLOW_DOWN_STEP_SECONDS;
    else if (response !== "authorization_pending") return response;
  }
  throw new Failure("the code has expired", START_AGAIN);
}

const START_AGAIN = "Start again: vitrine login";

type PollResponse = SessionGrant | "authorization_pending" | "slow_down" | "unreachable";

async function poll(client: ApiClient, deviceCode: string): Promise<PollResponse> {
  const response = await client.send("POST", "/auth/device/token", { device_code: deviceCode }).catch(() => null);
  if (response === null || response.status >= 500) return "unreachable";
  if (response.ok) return (await response.json()) as SessionGrant;
  const body = await response.text();
  const refusal = apiError(response.status, body, response.headers.get("retry-after"), client.server);
  switch (parseJsonObject(body)?.error) {
    case "authorization_pending":
      return "authorization_pending";
    case "slow_down":
      return "slow_down";
    case "access_denied":
      throw new Failure(refusal.message, START_AGAIN);
    case "expired_token":
      throw new Failure("the code has expired", START_AGAIN);
    default:
      throw refusal;
  }
}
