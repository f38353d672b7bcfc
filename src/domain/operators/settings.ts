/** What one setting is, for operators. */
export interface SettingInForce {
  /** The flag, without its dashes. */
  readonly name: string;
  /** As it was given; null where nothing is set. Of a secret only `set`. */
  readonly value: string | null;
  /** In words. */
  readonly default: string;
  readonly source: "flag" | "variable" | "file" | "default";
  readonly secret: boolean;
}
