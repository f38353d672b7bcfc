import { deploy, type ServingProcess } from "./executable.ts";

/** What a site must look like. */
export interface SiteState {
  /** Deployment number → the mark of the archive it was made from. Empty: there is no such site. */
  readonly deployments: ReadonlyMap<number, string>;
  readonly active: number | null;
}

export const NO_SITE: SiteState = { deployments: new Map(), active: null };

/** One change that was asked for: what the site looks like once it has happened. */
interface Change {
  readonly name: string;
  readonly after: SiteState;
  ask(server: ServingProcess): Promise<Response>;
}

export interface Habits {
  readonly activates: boolean;
  /** A site with more deployments is deleted, so that it can be looked at in no time however long the run is. */
  readonly keeps: number;
}

/** An archive whose files all carry the same mark, so that a mixture of two deployments shows. */
export interface MarkedArchive {
  readonly mark: string;
  readonly bytes: Uint8Array;
}

/**
 * The only one who changes a certain site, one change after the other. So what the site must look like after a crash is
 * known exactly: everything that was answered has happened, and the one change that was not answered has happened
 * whole or not at all.
 */
export class Actor {
  /** Where the last answered change left the site. */
  state: SiteState = NO_SITE;
  /** The change that was asked for and not answered. */
  pending: Change | null = null;
  answered = 0;
  /** Every state that an answer told of since `forget`, in order, the one before included. */
  history: SiteState[] = [NO_SITE];

  constructor(
    readonly site: string,
    readonly token: string,
    private readonly archives: readonly MarkedArchive[],
    private readonly habits: Habits,
  ) {}

  /** Begins the history anew: each state holds all deployments of its moment, too many to keep for hours. */
  forget(): void {
    this.history = [this.state];
  }

  /** Changes the site until the server no longer answers. Throws for an answer that no healthy server gives. */
  async work(server: ServingProcess, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const status = await this.change(server);
      if (status === null) return;
      if (status >= 300 && status !== 503) throw new Error(`${this.site} was answered ${status}`);
    }
  }

  /** Changes the site once and returns the status of the answer; null where none came: the change stays pending. */
  async change(server: ServingProcess): Promise<number | null> {
    this.pending = this.nextChange();
    const response = await this.pending.ask(server).catch(() => null);
    if (!response) return null;
    if (response.ok) {
      this.state = this.pending.after;
      this.answered++;
      this.history.push(this.state);
    }
    // A refusal promises that nothing happened; an unforeseen failure promises nothing, and one of the disk may say so.
    const uncertain = response.status === 500 || (await response.text()).includes("look whether it happened");
    if (!uncertain) this.pending = null;
    return response.status;
  }

  /** Returns null where the site looks as it must, else what is wrong; from then on the found state counts. */
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
