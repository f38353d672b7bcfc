import DNS from "dns2";

const { CLASS, RCODE, TYPE } = DNS.Packet;

/** What the responder says: a status, and the records of both sections. */
interface ZoneAnswer {
  readonly rcode: number;
  readonly authoritative: boolean;
  readonly answers: readonly ZoneRecord[];
  readonly authorities: readonly ZoneRecord[];
}

type ZoneRecord = Readonly<Record<string, unknown>> & { readonly name: string; readonly type: number };

export interface Zones {
  /** The names that were delegated to us, such as `_acme-challenge.example.org`; lower case. */
  readonly names: readonly string[];
  /** The host that the delegations point at. */
  readonly nameserver: string;
  /** Returns the texts published at a name now. */
  texts(name: string): readonly string[];
}

export interface Question {
  readonly name: string;
  readonly type?: number | undefined;
  readonly class?: number | undefined;
}

/** A challenge lives for seconds: nobody may keep an answer, or its absence, until the next one. */
const TTL = 1;

const NOTHING = { authoritative: false, answers: [], authorities: [] } as const;

/**
 * Answers one question as the authoritative server of a few one-name zones (RFC 1034 section 4.3.2): TXT, SOA and NS at
 * the name itself, no data for its other types, no such name below it, and REFUSED for the rest of the world, so that
 * the responder is of no use for amplification or as a resolver.
 */
export function answerQuestion(question: Question, zones: Zones): ZoneAnswer {
  const name = question.name.toLowerCase().replace(/\.$/, "");
  const zone = zones.names.find((one) => name === one || name.endsWith(`.${one}`));
  if (zone === undefined || question.class !== CLASS.IN || question.type === TYPE.AXFR) {
    return { rcode: RCODE.REFUSED, ...NOTHING };
  }
  const soa = soaRecord(zone, zones.nameserver);
  if (name !== zone) return { rcode: RCODE.NXDOMAIN, authoritative: true, answers: [], authorities: [soa] };
  // The question's own spelling is kept: some resolvers check the case that they sent (0x20).
  const answers = recordsOf(question, zones, soa);
  const authorities = answers.length > 0 ? [] : [soa];
  return { rcode: RCODE.NOERROR, authoritative: true, answers, authorities };
}

// --- internal ---

function recordsOf({ name, type }: Question, zones: Zones, soa: ZoneRecord): readonly ZoneRecord[] {
  const common = { name, class: CLASS.IN, ttl: TTL };
  switch (type) {
    case TYPE.TXT:
      return zones.texts(soa.name).map((text) => ({ ...common, type: TYPE.TXT, data: text }));
    case TYPE.SOA:
      return [{ ...soa, name }];
    case TYPE.NS:
      return [{ ...common, type: TYPE.NS, ns: zones.nameserver }];
    default:
      return [];
  }
}

function soaRecord(zone: string, nameserver: string): ZoneRecord {
  return {
    name: zone,
    type: TYPE.SOA,
    class: CLASS.IN,
    ttl: TTL,
    primary: nameserver,
    admin: `hostmaster.${nameserver}`,
    serial: 1,
    refresh: 3600,
    retry: 600,
    expiration: 86_400,
    minimum: TTL,
  };
}
