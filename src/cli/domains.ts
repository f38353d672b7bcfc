import { setTimeout as sleep } from "node:timers/promises";
import { domainToASCII } from "node:url";
import type { DomainCapability, DomainClaim } from "../api/schemas/types.ts";
import { ApiError } from "./client/api-error.ts";
import { type ApiClient, path } from "./client/client.ts";
import { type ClientListOptions, type ClientOptions, connect } from "./client/connect.ts";
import { formatSteps, stepsOf } from "./domain-steps.ts";
import { Failure } from "./terminal/errors.ts";
import { spin } from "./terminal/progress.ts";
import { type Column, printTable } from "./terminal/table.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface AddOptions extends ClientOptions {
  readonly alias?: string;
  readonly wait?: boolean;
}

export async function addDomain(
  terminal: Terminal,
  site: string,
  hostname: string,
  options: AddOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const target = options.alias === undefined ? undefined : { alias: options.alias };
  const claim = await client.post<DomainClaim>(path`/sites/${site}/domains`, { hostname, target });
  const { routing_targets: targets } = await client.get<DomainCapability>("/capabilities/custom-domains");
  terminal.done(`Added ${claim.hostname} to ${site}. Next steps:`);
  terminal.say(formatSteps(terminal.style, stepsOf(claim, targets)));
  const done = options.wait ? await waitHere() : claim;
  const { name, type, value } = claim.verification;
  if (options.json) terminal.json(done);
  else terminal.data(`${name} ${type} ${value}`);
  if (!options.wait) terminal.say(`Check the progress: vitrine domains check ${site} ${claim.hostname}`);

  async function waitHere(): Promise<DomainClaim> {
    const connected = await spin(
      terminal,
      "Waiting for DNS (Ctrl-C stops waiting; the server continues to check)",
      () => waitUntilConnected(client, site, claim, (step) => terminal.say(step), sleep),
    );
    terminal.say(formatSteps(terminal.style, stepsOf(connected, targets)));
    return connected;
  }
}

/** Prints a site's custom domains; with --json all of its claims. */
export async function listDomains(
  terminal: Terminal,
  site: string,
  options: ClientListOptions & { readonly all?: boolean },
): Promise<void> {
  const client = await connect(terminal, options);
  const claims = await listClaims(client, site, options.all === true || options.json === true);
  if (options.json) return terminal.json(claims);
  if (claims.length === 0) return terminal.say(`No custom domains. ${await howToAdd(client, site, "HOSTNAME")}`);
  printTable(terminal, COLUMNS, claims, options);
}

const COLUMNS: readonly Column<DomainClaim>[] = [
  { title: "HOSTNAME", value: ({ hostname }) => hostname },
  { title: "STATUS", value: connectionOf },
  { title: "ERROR", value: (claim) => errorOf(claim) ?? "", cut: true },
  { title: "CLAIM", value: ({ status }) => status, optional: true },
  { title: "MODE", value: ({ effective_mode }) => effective_mode ?? "", optional: true },
];

/**
 * Checks one domain of a site, or all, and explains each step. A domain that
 * cannot be checked does not hide the others; its error is thrown at the end.
 */
export async function checkDomains(
  terminal: Terminal,
  site: string,
  hostname: string | undefined,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const claims = hostname ? [await findClaim(client, site, hostname)] : await listCheckable(client, site);
  if (claims.length === 0) {
    throw new Failure(`${site} has no custom domains`, await howToAdd(client, site, "HOSTNAME"));
  }
  const checks = await spin(terminal, "Checking DNS", () =>
    Promise.allSettled(claims.map((claim) => client.post<DomainClaim>(path`/sites/${site}/domains/${claim.id}/check`))),
  );
  const checked = checks.flatMap((check) => (check.status === "fulfilled" ? [check.value] : []));
  const failed = checks.find((check) => check.status === "rejected");
  if (failed && checked.length === 0) throw failed.reason;
  if (options.json) terminal.json(hostname ? checked[0] : checked);
  else await explain(terminal, client, checked);
  if (failed) throw failed.reason;
}

/** A claim that is being removed cannot be checked. */
async function listCheckable(client: ApiClient, site: string): Promise<readonly DomainClaim[]> {
  return (await listClaims(client, site, false)).filter((claim) => claim.withdrawn_at === null);
}

async function explain(terminal: Terminal, client: ApiClient, claims: readonly DomainClaim[]): Promise<void> {
  const { routing_targets: targets } = await client.get<DomainCapability>("/capabilities/custom-domains");
  for (const claim of claims) {
    terminal.data(`${terminal.dataStyle.bold(claim.hostname)}: ${connectionOf(claim)}`);
    terminal.data(formatSteps(terminal.dataStyle, stepsOf(claim, targets)));
  }
}

export async function changeTransition(
  terminal: Terminal,
  what: "retry" | "cancel",
  site: string,
  hostname: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const { id } = await findClaim(client, site, hostname);
  const claim = await client.post<DomainClaim>(path`/sites/${site}/domains/${id}/transition/${what}`);
  if (options.json) terminal.json(claim);
  if (what === "retry")
    terminal.done(`Switching ${claim.hostname} to ${claim.target_mode} mode; this takes up to an hour.`);
  else terminal.done(`${claim.hostname} stays in ${claim.mode} mode.`);
}

/** Removes a domain. It stops serving within a minute. */
export async function removeDomain(
  terminal: Terminal,
  site: string,
  hostname: string,
  options: ClientOptions,
): Promise<void> {
  const client = await connect(terminal, options);
  const claim = await findClaim(client, site, hostname);
  await client.delete(path`/sites/${site}/domains/${claim.id}`);
  terminal.done(`Removed ${claim.hostname}. Visitors get 404 there within a minute.`);
  terminal.say(`You can delete the TXT record ${claim.verification.name}.`);
}

/** DNS records take minutes to propagate, so more frequent checks are useless. */
const CHECK_INTERVAL_MS = 10_000;

/**
 * Checks a claim repeatedly until it is connected; calls `onStep` with a message when
 * something changed. Throws when the claim has ended. DNS failures are retried.
 */
export async function waitUntilConnected(
  client: ApiClient,
  site: string,
  claim: DomainClaim,
  onStep: (sentence: string) => void,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<DomainClaim> {
  let last = "";
  for (;;) {
    const now = await checkOrNull(client, site, claim.id);
    if (now?.status === "expired" || now?.status === "cancelled") {
      throw new Failure(
        `the claim of ${claim.hostname} ${now.status === "expired" ? "has expired" : "was cancelled"}`,
        `Add it again: vitrine domains add ${site} ${claim.hostname}`,
      );
    }
    if (now?.connection_status === "connected") return now;
    const sentence = now ? sentenceOf(now) : last;
    if (sentence !== last) onStep(sentence);
    last = sentence;
    await sleep(CHECK_INTERVAL_MS);
  }
}

async function checkOrNull(client: ApiClient, site: string, id: number): Promise<DomainClaim | null> {
  try {
    return await client.post<DomainClaim>(path`/sites/${site}/domains/${id}/check`);
  } catch (error) {
    if (error instanceof ApiError && error.httpStatus === 503) return null;
    throw error;
  }
}

function sentenceOf(claim: DomainClaim): string {
  const error = errorOf(claim);
  return `${connectionOf(claim)}${error ? `: ${error}` : ""}`;
}

function connectionOf({ connection_status }: DomainClaim): string {
  return connection_status.replaceAll("_", " ");
}

/** Returns the error that matters most. */
function errorOf({ transition_error, activation_error, route_error, last_error }: DomainClaim): string | null {
  return transition_error ?? activation_error ?? route_error ?? last_error;
}

/** Returns the claims of a site, newest first; without `all` only the active ones. */
async function listClaims(client: ApiClient, site: string, all: boolean): Promise<readonly DomainClaim[]> {
  const claims = await client.list<DomainClaim>(path`/sites/${site}/domains`);
  return all ? claims : claims.filter(isInForce);
}

/** Returns the newest claim of a hostname. Throws if there is none. */
async function findClaim(client: ApiClient, site: string, hostname: string): Promise<DomainClaim> {
  // In the server's notation. An invalid name is kept as typed for the error message.
  const wanted = domainToASCII(hostname.replace(/\.$/, "")) || hostname;
  const claims = (await listClaims(client, site, false)).filter((claim) => claim.hostname === wanted);
  if (claims[0]) return claims[0];
  throw new Failure(`${site} has no domain ${wanted}`, await howToAdd(client, site, wanted));
}

/** Returns advice how to add a domain, or that domains are disabled on this server. */
async function howToAdd(client: ApiClient, site: string, hostname: string): Promise<string> {
  const { status } = await client.get<DomainCapability>("/capabilities/custom-domains");
  if (status === "disabled") return "Custom domains are off on this server: ask the operator.";
  return `Add ${hostname === "HOSTNAME" ? "one" : "it"}: vitrine domains add ${site} ${hostname}`;
}

/** Returns whether a claim is pending, verified or being removed. */
function isInForce(claim: DomainClaim): boolean {
  return claim.status === "pending" || claim.status === "verified" || claim.route_status === "removing";
}
