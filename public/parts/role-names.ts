import type { Role } from "../../src/domain/model/role.ts";

/** The roles on a site as people read them. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  owner: "Owner",
  maintainer: "Maintainer",
  deployer: "Deployer",
  reader: "Reader",
};
