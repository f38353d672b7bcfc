import type { MessagePort } from "node:worker_threads";
import type { MeterSlots } from "../../serving/request-meters.ts";
import type { Shared } from "../shared.ts";

/** What the main thread says to a serving thread. */
export type Order =
  | { readonly kind: "start"; readonly shared: Shared; readonly publishing: MessagePort; readonly meters: MeterSlots }
  | { readonly kind: "present" }
  | { readonly kind: "ask" }
  | { readonly kind: "drain"; readonly delay: number };

/** What a serving thread answers. */
export type Answer =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "presented"; readonly error: string | null }
  | { readonly kind: "answered" }
  | { readonly kind: "drained" };
