import DNS from "dns2";

const { CLASS, RCODE, TYPE } = DNS.Packet;

/** A response: a status, and the records of both sections. */
interface ZoneAnswer {
  readonly rcode: number;
  readonly authoritative: boolean;
  readonly answers: readonly ZoneRecord[];
  readonly authorities: readonly ZoneRecord[];
}

type ZoneRecord = Readonly<Record<string, unknown>> & { readonly name: string; readonly type: number };

export interface Zones {
  /** The delegated names, such as `_acme-challenge.example.org`; lower case. */
  readonly names: readonly string[];
  /** The host that the delegations point to. */
  readonly nameserver: string;
  /** Returns the TXT values currently published at a name. */
  texts(name: string): readonly string[];
}

export interface Question {
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

/** Challenges last seconds, so that neither an answer nor its absence may be cached until the next one. */
const TTL = 1;

const NOTHING = { authoritative: false, answers: [], authorities: [] } as const;

/**
 * Answers a query as the authoritative server of zones with a single name (RFC 1034 section 4.3.2): TXT, SOA and NS at
 * the name, no data for other types, NXDOMAIN below it, and REFUSED for all other names, so that
 * the responder cannot be used for amplification or as a resolver.
 */
export function answerQuestion(question: Question, zones: Zones): ZoneAnswer {
  const name = question.name.toLowerCase().replace(/\.$/, "");
  const zone = zones.names.find((one) => name === one || name.endsWith(`.${one}`));
  if (zone === undefined || question.class !== CLASS.IN || question.type === TYPE.AXFR) {
    return { rcode: RCODE.REFUSED, ...NOTHING };
  }
  const soa = soaRecord(zone, zones.nameserver);
  if (name !== zone) return { rcode: RCODE.NXDOMAIN, authoritative: true, answers: [], authorities: [soa] };
  // The query's spelling is kept, because some resolvers verify the case that they sent (0x20).
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
