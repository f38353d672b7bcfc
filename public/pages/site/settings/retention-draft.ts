import type { Retention, RetentionPolicy } from "../../../api/types.ts";
import { useKept } from "../../../parts/kept.ts";
import { keyOf } from "../../../parts/of-site.ts";
import { graceOf, ruleOf } from "./policy-words.ts";

/** All rules of a policy. */
export type OwnPolicy = Required<RetentionPolicy>;

/** The typed rules, which survive a reload; the saved ones where nothing is typed. A hook. */
export function useDraft(site: string, { policy, effective }: Retention) {
  const [typedLast, setLast] = useKept<string | null>(keyOf(site, "retention.last"), null);
  const [typedDays, setDays] = useKept<string | null>(keyOf(site, "retention.days"), null);
  const [typedGrace, setGrace] = useKept<string | null>(keyOf(site, "retention.grace"), null);
  const saved = {
    last: textOf(effective.keep_last),
    days: textOf(effective.keep_days),
    grace: textOf(policy?.grace_days ?? null),
  };
  const set = { last: setLast, days: setDays, grace: setGrace };
  const [last, days, grace] = [typedLast ?? saved.last, typedDays ?? saved.days, typedGrace ?? saved.grace];
  return {
    last,
    days,
    grace,
    /** The typed policy; null if a rule is not a number. */
    wanted: policyOf({ keep_last: ruleOf(last), keep_days: ruleOf(days), grace_days: graceOf(grace) }),
    /** A text equal to the saved value is no draft, unless another value is being saved. */
    type(rule: keyof typeof set, text: string, isSaving: boolean): void {
      set[rule](text === saved[rule] && !isSaving ? null : text);
    },
    /** Text that was typed meanwhile stays. */
    forget(): void {
      setLast((text) => (text === typedLast ? null : text));
      setDays((text) => (text === typedDays ? null : text));
      setGrace((text) => (text === typedGrace ? null : text));
    },
  };
}

// --- internal ---

type TypedPolicy = { readonly [Rule in keyof OwnPolicy]: OwnPolicy[Rule] | undefined };

function policyOf({ keep_last, keep_days, grace_days }: TypedPolicy): OwnPolicy | null {
  const isValid = keep_last !== undefined && keep_days !== undefined && grace_days !== undefined;
  return isValid ? { keep_last, keep_days, grace_days } : null;
}

function textOf(rule: number | null): string {
  return rule === null ? "" : String(rule);
}
