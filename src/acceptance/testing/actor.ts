import { deploy, type ServingProcess } from "./executable.ts";

/** The expected state of a site. */
export interface SiteState {
  /** Deployment number → the mark of its archive. Empty if the site does not exist. */
  readonly deployments: ReadonlyMap<number, string>;
  readonly active: number | null;
}

export const NO_SITE: SiteState = { deployments: new Map(), active: null };

/** A requested change, with the state of the site once it is done. */
interface Change {
  readonly name: string;
  readonly after: SiteState;
  ask(server: ServingProcess): Promise<Response>;
}

interface Habits {
  readonly activates: boolean;
  /** A site with more deployments than this is deleted, so that checking it stays fast in long runs. */
  readonly keeps: number;
}

/** An archive whose files all have the same mark, so that a mixture of two deployments is detected. */
export interface MarkedArchive {
  readonly mark: string;
  readonly bytes: Uint8Array;
}

/**
 * The only client that changes a certain site, one change after the other. The expected state after a crash is
 * therefore known: every confirmed change was made, and the unconfirmed one was made completely or not at all.
 */
export class Actor {
  /** The state after the last confirmed change. */
  state: SiteState = NO_SITE;
  /** The change that was requested and not confirmed. */
  pending: Change | null = null;
  answered = 0;
  /** Every state since `forget` that a response confirmed, in order, including the one before. */
  history: SiteState[] = [NO_SITE];

  constructor(
    readonly site: string,
    readonly token: string,
    private readonly archives: readonly MarkedArchive[],
    private readonly habits: Habits,
  ) {}

  /** Restarts the history. Each state holds all deployments, which is too much for hours. */
  forget(): void {
    this.history = [this.state];
  }

  /** Changes the site until the server no longer responds. Throws on a response that no healthy server sends. */
  async work(server: ServingProcess, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const status = await this.change(server);
      if (status === null) return;
      if (status >= 300 && status !== 503) throw new Error(`${this.site} was answered ${status}`);
    }
  }

  /** Changes the site once. Returns the status, or null if there was no response: the change stays pending. */
  async change(server: ServingProcess): Promise<number | null> {
    this.pending = this.nextChange();
    const response = await this.pending.ask(server).catch(() => null);
    if (!response) return null;
    if (response.ok) {
      this.state = this.pending.after;
      this.answered++;
      this.history.push(this.state);
    }
    // After a refusal nothing has changed. After an unexpected failure, or one of the disk, the result is unknown.
    const uncertain = response.status === 500 || (await response.text()).includes("check whether it happened");
    if (!uncertain) this.pending = null;
    return response.status;
  }

  /** Returns null if the site is as expected, otherwise the difference. From then on the found state counts. */
  settle(found: SiteState): string | null {
    const possible = [this.state, ...(this.pending ? [this.pending.after] : [])];
    const matching = possible.find((state) => sameState(state, found));
    const wanted = possible.map(describe).join(" or ");
    const complaint = matching ? null : `${this.site}: ${describe(found)} instead of ${wanted} (${this.pending?.name})`;
    this.state = found;
    this.pending = null;
    return complaint;
  }

  private nextChange(): Change {
    const numbers = [...this.state.deployments.keys()];
    if (numbers.length > this.habits.keeps) return this.deletion();
    const number = pick(numbers);
    if (this.habits.activates && number !== undefined && Math.random() < 0.5) return this.activation(number);
    return this.deployment(pick(this.archives) as MarkedArchive);
  }

  private deployment({ mark, bytes }: MarkedArchive): Change {
    const number = Math.max(0, ...this.state.deployments.keys()) + 1;
    const deployments = new Map(this.state.deployments).set(number, mark);
    return {
      name: `deployment ${number} (${mark})`,
      after: { deployments, active: number },
      ask: (server) => deploy(server, this.token, this.site, bytes),
    };
  }

  private activation(number: number): Change {
    return {
      name: `activation of ${number}`,
      after: { ...this.state, active: number },
      ask: (server) => this.call(server, "POST", `/sites/${this.site}/deployments/${number}/activate`),
    };
  }

  private deletion(): Change {
    return { name: "deletion", after: NO_SITE, ask: (server) => this.call(server, "DELETE", `/sites/${this.site}`) };
  }

  private call(server: ServingProcess, method: string, path: string): Promise<Response> {
    return server.fetch(path, { method, headers: { Authorization: `Bearer ${this.token}` } });
  }
}

function pick<T>(items: readonly T[]): T | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

export function sameState(one: SiteState, other: SiteState): boolean {
  const numbers = [...one.deployments];
  return (
    one.active === other.active &&
    one.deployments.size === other.deployments.size &&
    numbers.every(([number, mark]) => other.deployments.get(number) === mark)
  );
}

function describe({ deployments, active }: SiteState): string {
  if (deployments.size === 0) return "no site";
  const [number, mark] = [...deployments].at(-1) as [number, string];
  return `${deployments.size} deployments up to ${number} (${mark}), ${active} active`;
}
