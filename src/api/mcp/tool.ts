import type { Static, TObject } from "@sinclair/typebox";
import type { AgentCaller } from "../../domain/agents/tokens.ts";
import type { RoutePorts } from "../ports.ts";
import { validator } from "../validate.ts";

/** A call of a tool. */
export interface AgentCall extends AgentCaller {
  readonly ports: RoutePorts;
  /** The client's address, for the audit log. */
  readonly address: string;
}

/** What a tool does, as clients show it before they run it. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  /** False everywhere: the tools reach this server alone. */
  readonly openWorldHint: false;
}

export const READ_ONLY: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const CREATES: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

export const REPLACES: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** A part of a scope that a call needs and its credential may lack. */
export type NeededScope = "publish" | "new-sites";

/** One tool. The list, the validation and the checks of scopes are derived from it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly annotations: Annotations;
  /** Returns the part of a scope that these arguments need, before they are validated; null for none. */
  readonly needs: (sent: Readonly<Record<string, unknown>>) => NeededScope | null;
  /** Validates the arguments and returns the result. Throws `DomainError`. */
  readonly run: (call: AgentCall, sent: unknown) => Promise<object>;
}

/** Declares a tool. Its result is small, and has names of files and sites only as quoted values. */
export function tool<S extends TObject>(declared: {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  readonly annotations: Annotations;
  readonly needs?: Tool["needs"];
  run(call: AgentCall, input: Static<S>): Promise<object>;
}): Tool {
  const validate = validator("body", declared.input);
  return {
    ...declared,
    needs: declared.needs ?? (() => null),
    run: async (call, sent) => declared.run(call, validate(sent)),
  };
}
