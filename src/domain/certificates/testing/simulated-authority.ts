import type { Certificate, Failure, RenewalInfo } from "../../model/certificate.ts";
import {
  type CertificateAuthority,
  CertificateFailure,
  type CertificateRequest,
} from "../../ports/certificate-authority.ts";
import { DAY, HOUR } from "../../timestamp.ts";

export class ManualClock {
  /** The error of the server's clock. */
  offset = 0;
  constructor(public time: number) {}
  now(): number {
    return this.time + this.offset;
  }
}

/** Simulates that the server is killed at this point. */
export class Crash extends Error {}

type Behaviour = "issues" | "is down" | "finds nothing" | "is limited" | "loses the response" | "outlives the server";

interface Order {
  readonly name: string;
  readonly at: number;
  certificate: Certificate | null;
  failed: boolean;
}

/** A simulated CA with a correct clock and its own records. Tests set its behaviour. */
export class SimulatedAuthority implements CertificateAuthority {
  readonly orders: Order[] = [];
  readonly failedValidations: { name: string; at: number }[] = [];
  /** Names that reached a rate limit. */
  readonly limited: string[] = [];
  questions = 0;
  behaviour: (name: string) => Behaviour = () => "issues";
  retryAfter: number | null = null;
  window: RenewalInfo["window"] = null;

  constructor(
    readonly directory: string,
    /** The true time, whatever the server's clock says. */
    private readonly time: () => number,
    private readonly lifetime = 90 * DAY,
  ) {}

  async prepare(): Promise<void> {
    this.questions++;
    if (this.behaviour("") === "is down") throw this.failure("unreachable", "the CA is down");
  }

  async obtain(request: CertificateRequest): Promise<Certificate> {
    const name = request.identifiers[0] as string;
    const behaviour = this.behaviour(name);
    if (behaviour === "is down") throw this.failure("unreachable", "the CA is down");
    if (behaviour === "is limited") {
      this.limited.push(name);
      throw new CertificateFailure({
        kind: "refused",
        error: "slow down",
        authority: this.directory,
        retryAfter: HOUR,
      });
    }
    const order = await this.orderFor(request, name);
    // A valid authorization stays valid, so an order with a certificate cannot fail any more.
    if (behaviour === "finds nothing" && order.certificate === null) {
      order.failed = true;
      this.failedValidations.push({ name, at: this.time() });
      throw this.failure("validation", "the CA found no challenge");
    }
    order.certificate ??= this.sign(request.identifiers);
    if (behaviour === "loses the response") throw this.failure("unreachable", "the connection broke");
    if (behaviour === "outlives the server") throw new Crash();
    return order.certificate;
  }

  async renewalInfo(): Promise<RenewalInfo> {
    return { window: this.window, nextLookAt: this.time() + DAY };
  }

  certificatesOf(name: string): Certificate[] {
    return this.orders.flatMap((order) => (order.name === name && order.certificate ? [order.certificate] : []));
  }

  private async orderFor(request: CertificateRequest, name: string): Promise<Order> {
    const known = this.orders[Number(request.pending?.url.split("/").at(-1) ?? Number.NaN)];
    if (known && !known.failed) return known;
    const order: Order = { name, at: this.time(), certificate: null, failed: false };
    const number = this.orders.push(order) - 1;
    await request.placed({ authority: this.directory, url: `${this.directory}/order/${number}`, key: "key" });
    return order;
  }

  private sign(names: readonly string[]): Certificate {
    const notBefore = this.time() - HOUR;
    const { directory: authority, lifetime } = this;
    return { names, chain: "chain", key: "key", notBefore, notAfter: notBefore + lifetime, authority, renewalId: null };
  }

  private failure(kind: Failure["kind"], error: string): CertificateFailure {
    return new CertificateFailure({ kind, error, authority: this.directory, retryAfter: this.retryAfter });
  }
}
