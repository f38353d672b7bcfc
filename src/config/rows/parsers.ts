// How the texts of settings are read, by subject. `parser.ts` says what a parser is.
export * from "./parsers/network.ts";
export * from "./parsers/parser.ts";
export * from "./parsers/times.ts";
export * from "./parsers/urls.ts";
export * from "./parsers/values.ts";
