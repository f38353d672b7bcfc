/** An effective setting, for operators. */
export interface SettingInForce {
  /** The flag, without its dashes. */
  readonly name: string;
  /** The given value; null if not set. Of a secret only `set`. */
  readonly value: string | null;
  /** As text. */
  readonly default: string;
  readonly source: "flag" | "variable" | "file" | "default";
  readonly secret: boolean;
}
