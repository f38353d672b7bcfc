import type { ComponentChildren, JSX } from "preact";
import { initialOf } from "../format.ts";
import { Icon, type IconName } from "./icons.tsx";

/** Shape of a status: a dot for live, a ring for a preview, a hollow dot for nothing published, otherwise an icon. */
export type StatusShape = "dot" | "ring" | "hollow" | IconName;
/** Colour of an unusual status; none for the usual ones. */
export type Tone = "warn" | "cold";

/** A status: a shape and a label, never just a colour. */
export function Status(props: {
  shape: StatusShape;
  tone?: Tone | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`status ${props.tone ?? ""}`}>
      <Shape shape={props.shape} />
      {props.children}
    </span>
  );
}

export function Shape({ shape }: { shape: StatusShape }): JSX.Element {
  if (shape === "dot") return <span class="dot" aria-hidden="true" />;
  if (shape === "ring" || shape === "hollow") return <span class={`dot ${shape}`} aria-hidden="true" />;
  return <Icon name={shape} />;
}

const RUN_STATES = {
  running: ["accent-text", "refresh", "Running"],
  done: ["good", "check", "Done"],
  failed: ["bad", "warning", "Failed"],
} as const;

/** The state of a job or a backup, as an icon with a name for screen readers. */
export function RunState({ state }: { state: keyof typeof RUN_STATES }): JSX.Element {
  const [tone, icon, name] = RUN_STATES[state];
  return (
    <span class={tone}>
      <Icon name={icon} />
      <span class="visually-hidden">{name}</span>
    </span>
  );
}

export function FrozenBadge(): JSX.Element {
  return (
    <span class="badge cold">
      <Icon name="snowflake" /> Frozen
    </span>
  );
}

/** The actor: a user's initial, or the icon of a machine (a token, a workflow, an agent). */
export function Avatar({ name, machine }: { name: string; machine?: IconName | undefined }): JSX.Element {
  return (
    <span class={machine ? "avatar machine" : "avatar"} aria-hidden="true">
      {machine ? <Icon name={machine} /> : initialOf(name)}
    </span>
  );
}

/** A key, or a sequence of keys. */
export function Keys({ keys }: { keys: readonly string[] }): JSX.Element {
  return (
    <>
      {keys.map((key, index) => (
        <>
          {index > 0 && " "}
          <kbd>{key}</kbd>
        </>
      ))}
    </>
  );
}

/** The used share of a limit. The text beside it says the same. */
export function Meter({ share, tone }: { share: number; tone?: "warn" | undefined }): JSX.Element {
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class={tone} width={100 * Math.min(1, Math.max(0, share))} height="6" />
    </svg>
  );
}
