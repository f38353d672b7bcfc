import type { ChallengeType } from "../../domain/certificates/certificate.ts";
import { challengeRecordName } from "../../domain/certificates/wanted.ts";
import type { Clock } from "../../domain/ports/clock.ts";
import type { AcmeStore, PublishedChallenge } from "../../domain/ports/store/acme.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import type { AcmeAuthorization, AcmeChallenge, AcmeClient, AcmeOrder } from "./client.ts";
import { pollUntilSettled } from "./poll.ts";
import { AcmeProblem } from "./transport.ts";

interface Ports {
  readonly store: AcmeStore;
  readonly clock: Clock;
}

/** Failures after which the CA may still validate the challenge. */
const UNDECIDED_KINDS: readonly string[] = ["unreachable", "undecided"];

/** How long a challenge stays published if this process dies: longer than any order is awaited. */
const CHALLENGE_LIFETIME_MS = 15 * MINUTE;

/**
 * Proves every name of an order by the challenge of the given type (RFC 8555 section 7.5.1). The responses are published
 * for all threads until the CA has validated them. Rejects with `validation` and the CA's reason.
 */
export async function authorize(
  client: AcmeClient,
  order: AcmeOrder,
  type: ChallengeType,
  ports: Ports,
): Promise<void> {
  // One after the other: a failure then costs one failed validation, not one for every name.
  for (const url of order.authorizations) {
    const authorization = await client.authorization(url);
    if (authorization.status !== "valid") await prove(client, authorization, type, ports);
  }
}

// --- internal ---

async function prove(
  client: AcmeClient,
  authorization: AcmeAuthorization,
  type: ChallengeType,
  { store, clock }: Ports,
): Promise<void> {
  const { name, url } = authorization;
  const challenge = challengeOf(authorization, type);
  if (!challenge) throw new AcmeProblem("refused", `the CA offers no ${type} challenge for ${name}`);
  const published: PublishedChallenge = {
    type,
    name: type === "http-01" ? challenge.token : challengeRecordName(name),
    value: await client.challengeValue(challenge),
    expiresAt: clock.now() + CHALLENGE_LIFETIME_MS,
  };
  await store.publishChallenge(published);
  try {
    // A challenge in "processing" was requested by an earlier attempt.
    if (challenge.status === "pending") await client.respond(challenge);
    const settled = await pollUntilSettled(() => client.authorization(url), ["pending"], `the proof of ${name}`);
    if (settled.status !== "valid") throw new AcmeProblem("validation", reasonOf(settled, type));
  } catch (error) {
    // The CA may still validate an order that will be resumed: the challenge stays until it expires.
    if (error instanceof AcmeProblem && UNDECIDED_KINDS.includes(error.failure.kind)) throw error;
    await store.withdrawChallenge(published);
    throw error;
  }
  await store.withdrawChallenge(published);
}

function challengeOf({ challenges }: AcmeAuthorization, type: ChallengeType): AcmeChallenge | undefined {
  return challenges.find((challenge) => challenge.type === type);
}

function reasonOf(authorization: AcmeAuthorization, type: ChallengeType): string {
  const detail = (challengeOf(authorization, type)?.error as { detail?: unknown } | undefined)?.detail;
  const reason = typeof detail === "string" ? detail.slice(0, 500) : `the authorization is ${authorization.status}`;
  return `the CA could not verify ${authorization.name} by ${type}: ${reason}`;
}
