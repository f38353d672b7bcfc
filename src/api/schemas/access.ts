import { Type as t } from "@sinclair/typebox";
import { entryOf } from "../../domain/model/group.ts";
import type { Identity } from "../../domain/model/user.ts";
import type { Reader } from "../../domain/ports/store/readers.ts";
import { namedSchema, TextOrNull } from "./values.ts";

export const SiteAccessResponse = namedSchema("SiteAccessResponse", { private: t.Boolean() }, { private: true });

export const AddSiteReaderRequest = namedSchema(
  "AddSiteReaderRequest",
  { provider_login: t.String({ description: "A login, or a group of the OIDC provider after `@`" }) },
  { provider_login: "grace" },
);

const person = { provider_login: "grace", provider_name: "Grace Hopper", avatar_url: null };

const profile = {
  provider_login: t.String(),
  provider_name: TextOrNull,
  avatar_url: TextOrNull,
};

export const SiteReaderResponse = namedSchema(
  "SiteReaderResponse",
  {
    id: t.Integer(),
    ...profile,
    provider_login: t.String({ description: "The login of a person, or a group of the OIDC provider after `@`" }),
  },
  { id: 12, ...person },
);

export function siteReaderResponse(reader: Reader): typeof SiteReaderResponse.static {
  const { id, userId, login, name, avatarUrl } = reader;
  return { id, provider_login: entryOf({ userId, name: login }), provider_name: name, avatar_url: avatarUrl };
}

export const ProviderUserResponse = namedSchema("ProviderUserResponse", profile, person);

export function providerUserResponse({ login, name, avatarUrl }: Identity): typeof ProviderUserResponse.static {
  return { provider_login: login, provider_name: name, avatar_url: avatarUrl };
}
