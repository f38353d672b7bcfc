import { isoCBOR } from "@simplewebauthn/server/helpers";

/** What an authenticator and its browser say, so that tests can lie. */
export interface Claims {
  readonly origin: string;
  readonly relyingPartyId: string;
  readonly challenge: string;
  readonly type: string;
  readonly isVerified: boolean;
  readonly counter: number;
  readonly algorithm: number;
  readonly format: string;
  readonly userHandle: string | undefined;
}

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
}

/** A software authenticator with one passkey, and the browser that uses it. */
export class Authenticator {
  readonly credentialId = base64url(crypto.getRandomValues(new Uint8Array(16)));
  private userHandle: string | undefined;

  private constructor(
    private readonly origin: string,
    private readonly keys: CryptoKeyPair,
  ) {}

  static async create(origin: string): Promise<Authenticator> {
    const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    return new Authenticator(origin, keys);
  }

  /** Returns the response to creation options, with what is claimed instead of the truth. */
  async register({ challenge, rp, user }: Options, lies: Partial<Claims> = {}) {
    this.userHandle = user?.id;
    const claims = { ...this.truth(challenge, rp?.id ?? ""), type: "webauthn.create", ...lies };
    const authData = Buffer.concat([await authenticatorData(claims, 0x40), await this.attestedData(claims.algorithm)]);
    const attestation = new Map<string, unknown>([
      ["fmt", claims.format],
      ["attStmt", new Map()],
      ["authData", new Uint8Array(authData)],
    ]);
    return {
      ...this.identity(),
      response: {
        clientDataJSON: clientData(claims),
        attestationObject: base64url(isoCBOR.encode(attestation as never)),
      },
    };
  }

  /** Returns the response to request options. */
  async sign({ challenge, rpId }: Options, lies: Partial<Claims> = {}) {
    const claims = { ...this.truth(challenge, rpId ?? ""), type: "webauthn.get", ...lies };
    const authData = await authenticatorData(claims, 0);
    const clientDataJSON = clientData(claims);
    const signed = Buffer.concat([authData, await sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.keys.privateKey, signed);
    const { userHandle } = claims;
    return {
      ...this.identity(),
      response: {
        clientDataJSON,
        authenticatorData: base64url(authData),
        signature: base64url(derSignature(new Uint8Array(signature))),
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    };
  }

  private truth(challenge: string, relyingPartyId: string): Omit<Claims, "type"> {
    const { origin, userHandle } = this;
    return {
      origin,
      relyingPartyId,
      challenge,
      isVerified: true,
      counter: 0,
      algorithm: -7,
      format: "none",
      userHandle,
    };
  }

  private identity() {
    return { id: this.credentialId, rawId: this.credentialId, type: "public-key", clientExtensionResults: {} };
  }

  /** The new key, as the authenticator data of a registration end with it. */
  private async attestedData(algorithm: number): Promise<Buffer> {
    const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", this.keys.publicKey);
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
    const key = new Map<number, unknown>([
      [1, 2],
      [3, algorithm],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]);
    const id = Buffer.from(this.credentialId, "base64url");
    return Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, isoCBOR.encode(key as never)]);
  }
}

// --- internal ---

async function authenticatorData({ relyingPartyId, isVerified, counter }: Claims, flags: number): Promise<Buffer> {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const present = 0x01;
  const verified = isVerified ? 0x04 : 0;
  return Buffer.concat([await sha256(Buffer.from(relyingPartyId)), Buffer.from([flags | present | verified]), count]);
}

function clientData({ type, challenge, origin }: Claims): string {
  return base64url(Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })));
}

async function sha256(data: Uint8Array<ArrayBuffer>): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", data));
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** Authenticators send signatures in DER, and Web Crypto returns both numbers one after the other. */
function derSignature(raw: Uint8Array): Buffer {
  const integers = [raw.subarray(0, 32), raw.subarray(32)].map((number) => {
    const start = number.findIndex((byte) => byte !== 0);
    const trimmed = Buffer.from(number.subarray(start));
    const value = (trimmed[0] as number) < 0x80 ? trimmed : Buffer.concat([Buffer.from([0]), trimmed]);
    return Buffer.concat([Buffer.from([2, value.length]), value]);
  });
  const body = Buffer.concat(integers);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}
