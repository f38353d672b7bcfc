import type { NameServer } from "../../clients/dns/testing/name-server.ts";
import type { ClaimResponse } from "./domains.ts";
import { deploy, type ServingProcess, signUp } from "./executable.ts";

/** The limits of claims by one user, and how many accounts take turns. */
const CLAIMS_A_MINUTE = 5;
const CLAIMS_A_DAY = 20;
/** Longer than the server's minute, which begins only when it stores the claim. */
const MINUTE = 120_000;

interface Person {
  readonly token: string;
  readonly site: string;
  /** The times of their claims in milliseconds. */
  readonly claimed: number[];
}

/** The confirmed state of a claim. None of it may be lost, but more may have happened. */
interface Claimed {
  readonly person: Person;
  readonly claim: ClaimResponse;
  removalAnswered: boolean;
  removalAsked: boolean;
}

/**
 * Claims hostnames, checks and releases them, one request after the other. Each claim has its proof from the start, so
 * that its first check verifies, routes and connects it.
 */
export class Claimant {
  answered = 0;
  /** True if a request was sent and not answered. */
  pending = false;
  private readonly people: Person[] = [];
  private current: Claimed | null = null;
  private readonly removed: Claimed[] = [];
  /** The hostname of a claim that was requested and not confirmed. */
  private unanswered: { readonly hostname: string; readonly person: Person } | null = null;
  private names = 0;

  constructor(
    private readonly dataDir: string,
    private readonly archive: Uint8Array,
    private readonly nameServer: NameServer,
  ) {}

  /** Works until the server no longer responds. */
  async work(server: ServingProcess, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      this.pending = true;
      const response = await this.next(server).catch(() => null);
      if (!response) return;
      this.pending = false;
      this.answered++;
      if (response.status >= 300 && response.status !== 503) {
        throw new Error(`a claim was answered ${response.status}: ${await response.text()}`);
      }
    }
  }

  /** Returns the differences from the confirmed state. Adds a user if all have reached the limit. */
  async inspect(server: ServingProcess): Promise<string | null> {
    const difference = await this.findLoss(server);
    this.pending = false;
    if (!this.free()) this.people.push(await this.newPerson(server));
    return difference;
  }

  // --- internal ---

  private next(server: ServingProcess): Promise<Response> {
    const { current } = this;
    if (current === null) {
      const person = this.free();
      // Reads the sites if every user has reached the limit.
      return person ? this.claim(server, person) : server.fetch("/capabilities/custom-domains", bearer(this.people[0]));
    }
    return current.claim.status === "pending" ? this.check(server, current) : this.remove(server, current);
  }

  private async claim(server: ServingProcess, person: Person): Promise<Response> {
    const hostname = `shop-${++this.names}.example`;
    this.unanswered = { hostname, person };
    person.claimed.push(Date.now());
    const response = await server.fetch(`/sites/${person.site}/domains`, {
      ...bearer(person),
      method: "POST",
      body: JSON.stringify({ hostname }),
    });
    if (response.ok) this.adopt(person, (await response.json()) as ClaimResponse);
    this.unanswered = null;
    return response;
  }

  private async check(server: ServingProcess, current: Claimed): Promise<Response> {
    const response = await server.fetch(`${pathOf(current.claim)}/check`, {
      ...bearer(current.person),
      method: "POST",
    });
    const claim = (await response.clone().json()) as ClaimResponse;
    if (response.ok) this.current = { ...current, claim };
    return response;
  }

  private async remove(server: ServingProcess, current: Claimed): Promise<Response> {
    current.removalAsked = true;
    const response = await server.fetch(pathOf(current.claim), { ...bearer(current.person), method: "DELETE" });
    if (response.ok) this.forget(current);
    return response;
  }

  private adopt(person: Person, claim: ClaimResponse): void {
    this.nameServer.zone[`TXT ${claim.verification.name}`] = [claim.verification.value];
    this.nameServer.zone[`A ${claim.hostname}`] = ["127.0.0.1"];
    this.current = { person, claim, removalAnswered: false, removalAsked: false };
  }

  private forget(claimed: Claimed): void {
    this.removed.push({ ...claimed, removalAnswered: true });
    if (this.current?.claim.id === claimed.claim.id) this.current = null;
    // A site's claims are listed completely, so the list is limited to those of one user.
    if (this.removed.length > CLAIMS_A_DAY) this.removed.shift();
  }

  private async findLoss(server: ServingProcess): Promise<string | null> {
    const { current, unanswered } = this;
    this.unanswered = null;
    const differences = await Promise.all([
      ...this.removed.map((claimed) => this.lossOf(server, claimed)),
      current ? this.lossOf(server, current) : null,
    ]);
    if (unanswered) {
      const found = (await claimsOf(server, unanswered.person)).find(
        ({ hostname }) => hostname === unanswered.hostname,
      );
      if (found) this.adopt(unanswered.person, found);
    }
    return differences.find((difference) => difference !== null) ?? null;
  }

  /** Compares a claim with its confirmed state. */
  private async lossOf(server: ServingProcess, claimed: Claimed): Promise<string | null> {
    const { claim, person, removalAnswered, removalAsked } = claimed;
    const found = (await claimsOf(server, person)).find(({ id }) => id === claim.id);
    if (!found) return `the claim of ${claim.hostname} is gone`;
    const removed = found.removal_requested_at !== null || found.status === "cancelled";
    if (removalAnswered && !removed) return `${claim.hostname} is claimed again: ${JSON.stringify(found)}`;
    if (removed && !removalAsked) return `${claim.hostname} was given back by nobody: ${JSON.stringify(found)}`;
    if (removed) {
      if (!removalAnswered) this.forget(claimed);
      return null;
    }
    if (claim.status === "verified" && found.status !== "verified") return `${claim.hostname} was verified already`;
    if (claim.activated_at !== null && found.activated_at === null) return `${claim.hostname} was connected already`;
    this.current = { ...claimed, claim: found };
    if (found.route_status !== "routed") return null;
    const { status } = await server.fetch("/0.html", { headers: { Host: found.hostname } });
    return status === 200 ? null : `${found.hostname} is routed and answered ${status}`;
  }

  private free(): Person | undefined {
    const minuteAgo = Date.now() - MINUTE;
    return this.people.find(
      ({ claimed }) => claimed.length < CLAIMS_A_DAY && claimed.filter((at) => at > minuteAgo).length < CLAIMS_A_MINUTE,
    );
  }

  private async newPerson(server: ServingProcess): Promise<Person> {
    const login = `claimant-${this.people.length}`;
    const person = { token: await signUp(this.dataDir, login), site: login, claimed: [] };
    const response = await deploy(server, person.token, person.site, this.archive);
    if (!response.ok) throw new Error(`${login} could not deploy: ${response.status} ${await response.text()}`);
    return person;
  }
}

function pathOf({ site_name, id }: ClaimResponse): string {
  return `/sites/${site_name}/domains/${id}`;
}

function bearer(person: Person | undefined): { headers: Record<string, string> } {
  return { headers: { Authorization: `Bearer ${person?.token}`, "Content-Type": "application/json" } };
}

async function claimsOf(server: ServingProcess, person: Person): Promise<readonly ClaimResponse[]> {
  return (await (await server.fetch(`/sites/${person.site}/domains`, bearer(person))).json()) as ClaimResponse[];
}
