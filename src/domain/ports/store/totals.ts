/** The numbers of people and sites, for operators. */
export interface Totals {
  readonly users: {
    readonly all: number;
    readonly operators: number;
    readonly frozen: number;
    /** Logins with an invitation that was not accepted yet and has not expired. */
    readonly invited: number;
  };
  readonly sites: { readonly all: number; readonly private: number; readonly frozen: number };
}
