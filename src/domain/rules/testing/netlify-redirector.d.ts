/** Netlify's matcher, which has no types. */
declare module "netlify-redirector" {
  interface Match {
    readonly to: string;
    readonly status: number;
  }
  interface Matcher {
    match(request: object): Match | null;
  }
  const redirector: { parsePlain(rules: string, options: object): Promise<Matcher> };
  export default redirector;
}
