import { type Claim, LOSS_GRACE } from "../model/claim.ts";
import { type Absent, type Failed, isUnknown, type Silent } from "../ports/dns.ts";
import { quote } from "../quote.ts";
import { timestamp } from "../timestamp.ts";
import { txtName, txtValue } from "./challenge.ts";
import type { AddressesSeen, ProofSeen, RoutingTarget } from "./observation.ts";

// Messages for the owner: which record was found, which one is needed, and which resolver responded.

const SHOWN = 3;
const SHOWN_CHARACTERS = 80;

function listed(values: readonly string[]): string {
  const shown = values.slice(0, SHOWN).map((value) => quote(value, SHOWN_CHARACTERS));
  const more = values.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function wantedProof(claim: Claim): string {
  return txtRecord(txtName(claim.hostname), txtValue(claim.proofToken));
}

function txtRecord(name: string, value: string): string {
  return `the TXT record ${name} with the value ${value}`;
}

/** Says why the proof was not seen, and which record to set. */
export function proofNotSeen(claim: Claim, proof: ProofSeen, unclaimedCounterpart: string | null = null): string {
  if (proof.kind !== "answered") {
    const wanted = claim.status === "pending" ? ` It has to show ${wantedProof(claim)}.` : "";
    return `${txtName(claim.hostname)}: ${lookupFailure(proof)}${wanted}`;
  }
  const found = proof.values.length > 0 ? `found TXT ${listed(proof.values)}` : `said ${proof.why ?? "no data"}`;
  const hint = unclaimedCounterpart === null ? "" : ` If ${unclaimedCounterpart} is to work as well, add it too.`;
  return `${wantedProof(claim)} is not there: the resolver ${proof.resolver} ${found}. Set it at your DNS provider.${hint}`;
}

/** For a verified claim whose record went away. */
export function proofGone(claim: Claim): string {
  const gone = recordGone(txtName(claim.hostname), txtValue(claim.proofToken));
  return `${gone}: set it again, or somebody else could verify the domain and take it over.`;
}

/** The phrase for a missing TXT record. The CLI recognizes the state by it. */
export function recordGone(name: string, value: string): string {
  return `${txtRecord(name, value)} is gone`;
}

/** For a verified claim that has lost its record and its addresses; null while it has not. */
export function comingLoss({ recordsGoneSince }: Claim): string | null {
  return recordsGoneSince === null
    ? null
    : `Without the record and an address of this server, the domain is removed at ${timestamp(recordsGoneSince + LOSS_GRACE)}.`;
}

/** Says why the name of the proof has no TXT record. */
export function proofAbsent({ kind, aliases }: Absent): string {
  if (kind === "chain") return endlessChain(aliases);
  return kind === "nxdomain" ? "NXDOMAIN: the name does not exist" : "no data: the name has no TXT record";
}

function endlessChain(aliases: readonly string[]): string {
  return `CNAME records that form a loop or a chain that is too long (${aliases.join(", then ")})`;
}

function lookupFailure({ kind, resolver, reason }: Failed | Silent): string {
  return kind === "failed"
    ? `the resolver ${resolver} answered ${reason}; this is usually temporary, nothing was changed.`
    : `no resolver answered (${resolver}: ${reason}); nothing was changed.`;
}

/** The beginning of the message for a hostname without addresses. The CLI recognizes the state by it. */
export function hasNoAddress(hostname: string): string {
  return `${hostname} has no address`;
}

function wantedRecords(hostname: string, targets: readonly RoutingTarget[]): string {
  const records = (kind: "address" | "alias") =>
    targets
      .filter(({ type }) => (type === "CNAME") === (kind === "alias"))
      .map(({ type, value }) => `${type} ${value}`);
  const wanted = [records("address").join(" and "), records("alias").join(" or ")].filter((part) => part !== "");
  return `set ${hostname} to ${wanted.join(", or to ")}`;
}

/** Says what is wrong with the addresses and which records to set; null when they are right. */
export function addressProblem(
  { hostname, activatedAt }: Pick<Claim, "hostname" | "activatedAt">,
  seen: AddressesSeen,
  targets: readonly RoutingTarget[],
): string | null {
  const wanted = wantedRecords(hostname, targets);
  if (isUnknown(seen)) {
    return `${hostname}: ${lookupFailure(seen)}${activatedAt === null ? ` To connect it, ${wanted}.` : ""}`;
  }
  const over = seen.aliases.length > 0 ? ` (over CNAME ${seen.aliases.slice(0, SHOWN).join(", ")})` : "";
  if (seen.kind === "absent") {
    const said = {
      NXDOMAIN: `NXDOMAIN: the name does not exist${over}`,
      "no data": `no data: the name has no address${over}`,
      "CNAME chain": endlessChain(seen.aliases),
    }[seen.why];
    return `${hasNoAddress(hostname)}: the resolver ${seen.resolver} said ${said}. To connect it, ${wanted}.`;
  }
  const at = (place: string) => seen.addresses.filter((address) => address.place === place).map((it) => it.address);
  const elsewhere = at("elsewhere");
  if (elsewhere.length > 0) {
    const some = elsewhere.length < seen.addresses.length ? " in part" : "";
    const shown = elsewhere.slice(0, SHOWN).join(", ") + (elsewhere.length > SHOWN ? ", …" : "");
    return `${hostname} points elsewhere${some}: the resolver ${seen.resolver} found ${shown}${over}. To connect it, ${wanted} and remove the other records.`;
  }
  const ours = at("ours");
  if (ours.length === 0 || ours.length === seen.addresses.length) return null;
  return `${hostname} points both to this server (${ours[0]}) and to the edge (${at("edge")[0]}), according to the resolver ${seen.resolver}: keep only one of them. To connect it directly, ${wanted} and remove the other records.`;
}

/** For a hostname that resolves to this server, if the lookups left no time to probe it. */
export function notProbed(hostname: string): string {
  return `${hostname} was not probed: the resolvers were too slow. This is usually temporary.`;
}
