import { challengeRecordName } from "../../domain/certificates/wanted.ts";
import type { ChallengeType } from "../../domain/model/certificate.ts";
import type { AcmeStore, PublishedChallenge } from "../../domain/ports/store/acme.ts";
import type { Clock } from "../../domain/ports/system.ts";
import { MINUTE } from "../../domain/timestamp.ts";
import type { AcmeAuthorization, AcmeChallenge, AcmeClient, AcmeOrder } from "./client.ts";
import { AcmeProblem, detailOf } from "./transport.ts";

interface Ports {
  readonly store: AcmeStore;
  readonly clock: Clock;
}

/** Failures after which the CA may still validate the challenge. */
const UNDECIDED_KINDS: readonly string[] = ["unreachable", "undecided"];

/** Lifetime of a challenge if this process dies; longer than any order takes. */
const CHALLENGE_LIFETIME_MS = 15 * MINUTE;

/**
 * Completes the challenge of the given type for every name of an order (RFC 8555 section 7.5.1). The responses are published
 * for all threads until the CA has validated them. Throws `validation` with the CA's reason.
 */
export async function authorize(
  client: AcmeClient,
  order: AcmeOrder,
  type: ChallengeType,
  ports: Ports,
): Promise<void> {
  // In sequence, so that a failure counts as one failed validation, not one per name.
  for (const url of order.authorizations) {
    const authorization = await client.authorization(url);
    if (authorization.status !== "valid") await prove(client, authorization, type, ports);
  }
}

/**
 * Polls until the status of a resource is not in `unsettled`, and returns it. Throws `undecided` after two minutes;
 * the next attempt resumes the order.
 */
export async function pollUntilSettled<T extends { readonly status: string }>(
  ask: () => Promise<T>,
  unsettled: readonly string[],
  what: string,
): Promise<T> {
  const deadline = performance.now() + MAX_POLL_MS;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    const resource = await ask();
    if (!unsettled.includes(resource.status)) return resource;
    if (performance.now() + wait > deadline) {
      throw new AcmeProblem("undecided", `the CA has not decided on ${what} after ${MAX_POLL_MS / 1000} seconds`);
    }
    await Bun.sleep(wait);
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
  const reason = detailOf(challengeOf(authorization, type)?.error) ?? `the authorization is ${authorization.status}`;
  return `the CA could not verify ${authorization.name} by ${type}: ${reason}`;
}

const FIRST_WAIT_MS = 200;
const MAX_WAIT_MS = 5_000;
/** Validation and signing usually take a few seconds each. Orders that take longer are resumed later. */
const MAX_POLL_MS = 120_000;
