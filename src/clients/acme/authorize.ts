import type { Authorization, Client, Order } from "acme-client";
import type { ChallengeType } from "../../domain/certificates/certificate.ts";
import { challengeRecordName } from "../../domain/certificates/wanted.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AcmeStore, PublishedChallenge } from "../../domain/ports/store/acme.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import { settle } from "./poll.ts";
import { AcmeProblem } from "./transport.ts";

interface Ports {
  readonly store: AcmeStore;
  readonly clock: Clock;
}

const UNJUDGED: readonly string[] = ["unreachable", "undecided"];

/** How long a challenge stays published should this process die: longer than any order is awaited. */
const CHALLENGE_LIFETIME = 15 * MINUTE;

/**
 * Proves every name of an order by the challenge of the given type (RFC 8555 section 7.5.1). The answers are published
 * for all threads until the CA has judged them. Rejects with `validation` and the CA's reason.
 */
export async function authorize(client: Client, order: Order, type: ChallengeType, ports: Ports): Promise<void> {
  const authorizations = await client.getAuthorizations(order);
  // One after the other: a failure then costs one failed validation, not one for every name.
  for (const authorization of authorizations) {
    if (authorization.status === "valid") continue;
    await prove(client, authorization, type, ports);
  }
}

// --- internal ---

async function prove(client: Client, authorization: Authorization, type: ChallengeType, { store, clock }: Ports) {
  const name = authorization.identifier.value;
  const challenge = authorization.challenges.find((one) => one.type === type);
  if (!challenge) throw new AcmeProblem("refused", `the CA offers no ${type} challenge for ${name}`);
  const value = await client.getChallengeKeyAuthorization(challenge);
  const published: PublishedChallenge = {
    type,
    name: type === "http-01" ? challenge.token : challengeRecordName(name),
    value,
    expiresAt: clock.now() + CHALLENGE_LIFETIME,
  };
  await store.publishChallenge(published);
  try {
    // "processing" is a challenge that an earlier attempt has asked for already.
    if (challenge.status === "pending") await client.completeChallenge(challenge);
    const judged = await settle(() => askAgain(client, authorization), ["pending"], `the proof of ${name}`);
    if (judged.status !== "valid") throw new AcmeProblem("validation", reason(judged, type));
  } catch (error) {
    // The CA may be about to look: what it finds decides over an order that will be resumed. The challenge expires.
    if (error instanceof AcmeProblem && UNJUDGED.includes(error.failure.kind)) throw error;
    await store.withdrawChallenge(published);
    throw error;
  }
  await store.withdrawChallenge(published);
}

async function askAgain(client: Client, { url }: Authorization): Promise<Authorization> {
  const [authorization] = await client.getAuthorizations({ authorizations: [url] } as Order);
  if (!authorization) throw new AcmeProblem("unreachable", "the CA gave no authorization");
  return authorization;
}

function reason(authorization: Authorization, type: ChallengeType): string {
  const { value } = authorization.identifier;
  const failed = authorization.challenges.find((challenge) => challenge.type === type);
  const detail = (failed?.error as { detail?: unknown } | undefined)?.detail;
  const said = typeof detail === "string" ? detail.slice(0, 500) : `the authorization is ${authorization.status}`;
  return `the CA could not verify ${value} by ${type}: ${said}`;
}
