import { resolve } from "node:path";
import { formatBytes } from "../../../domain/byte-size.ts";
import { type Parser, parser, Unusable } from "./parser.ts";

/** A text as it is given; `placeholder` says which. */
export function text(placeholder: string): Parser<string> {
  return parser(placeholder, (value) => value);
}

export const file = parser("FILE", (value, folder) => resolve(folder, value));

export const folder = parser("FOLDER", file);

export function oneOf<const T extends string>(placeholder: string, choices: readonly T[]): Parser<T> {
  return parser(placeholder, (value) => {
    const choice = choices.find((candidate) => candidate === value.toLowerCase());
    if (choice === undefined) throw new Unusable(`one of ${choices.join(", ")}`);
    return choice;
  });
}

const SWITCH: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  1: true,
  off: false,
  false: false,
  no: false,
  0: false,
};

export const onOff = parser<boolean>(
  "on|off",
  (value) => {
    const key = value.toLowerCase();
    if (!Object.hasOwn(SWITCH, key)) throw new Unusable("on or off");
    return SWITCH[key] as boolean;
  },
  (value) => (value ? "on" : "off"),
);

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parser<number> {
  const usable =
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least} up` : `a whole number ${least}-${most}`;
  return parser("N", (value) => {
    const digits = value.replaceAll("_", "");
    const number = Number(digits);
    if (!/^\d+$/.test(digits) || number < least || number > most) throw new Unusable(usable);
    return number;
  });
}

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:b|([kmgt])(ib|b)?)?$/i;

/** Bytes: a plain number or with a unit. `MiB` and `M` are powers of 1024, `MB` of 1000. */
export const bytes = parser<number>(
  "SIZE",
  (value) => {
    const [, number, prefix = "", unit = ""] = SIZE.exec(value.replaceAll("_", "")) ?? [];
    const base = unit.toLowerCase() === "b" ? 1000 : 1024;
    const exponent = prefix === "" ? 0 : "kmgt".indexOf(prefix.toLowerCase()) + 1;
    const size = Math.round(Number(number) * base ** exponent);
    if (!Number.isSafeInteger(size) || size < 1) throw new Unusable("a number of bytes, such as 536870912 or 512MiB");
    return size;
  },
  (value) => formatBytes(value).replace(" ", ""),
);

/** The secret of a webhook as in Standard Webhooks: base64, after `whsec_`. */
export const webhookSecret = parser<string>("SECRET", (value) => {
  const key = value.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]{4,}={0,2}$/.test(key) || Buffer.from(key, "base64").length < 3) {
    throw new Unusable("whsec_ and 24 to 64 random bytes in base64");
  }
  return `whsec_${Buffer.from(key, "base64").toString("base64")}`;
});

/** A key in base64url, or in base64 as some CAs provide it; returned in base64url without padding. */
export const base64url = parser<string>("KEY", (value) => {
  const key = value.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (!/^[\w-]+$/.test(key) || key.length % 4 === 1) {
    throw new Unusable("the key in base64url or base64, as the CA gave it out");
  }
  return key;
});

/** A name that fits into tables and URLs, such as a host name. */
export const nodeName = parser<string>("NAME", (value) => {
  if (!/^[\w.-]{1,100}$/.test(value)) throw new Unusable("up to 100 letters, digits, dots, dashes and underscores");
  return value;
});

export const email = parser<string>("EMAIL", (value) => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Unusable("an e-mail address");
  return value;
});

/** The characters of a scope are those of RFC 6749, section 3.3. */
export const scopes = parser<readonly string[]>(
  "SCOPES",
  (value) => {
    const all = value.split(/[\s,]+/).filter((scope) => scope !== "");
    if (all.includes("openid") && all.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      return Object.freeze(all);
    }
    throw new Unusable("scopes separated by spaces, openid among them, such as: openid profile email groups");
  },
  (values) => values.join(" "),
);
