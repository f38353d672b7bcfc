import { needing } from "../../testing/needing.ts";
import { VISIT_CONTRACTS } from "../contract/contracts.ts";
import { freshCluster } from "./testing/fresh-cluster.ts";

const { describe } = needing("postgres");

describe("a cluster's store", () => {
  const fresh = freshCluster();
  const current = () => fresh.store;
  const other = () => fresh.other;
  for (const [does, contract] of Object.entries(VISIT_CONTRACTS)) describe(does, () => contract(current, other));
});
