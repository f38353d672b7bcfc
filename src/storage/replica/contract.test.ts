import { needing } from "../../testing/needing.ts";
import { certificateContract } from "../contract/certificates.ts";
import { claimContract } from "../contract/claims.ts";
import { deletionContract } from "../contract/deletions.ts";
import { encodingContract } from "../contract/encodings.ts";
import { hostingContract } from "../contract/hosting.ts";
import { limitsContract } from "../contract/limits.ts";
import { previewContract } from "../contract/previews.ts";
import { routingContract } from "../contract/routing.ts";
import { siteNameContract } from "../contract/site-names.ts";
import { freshCluster } from "./testing/fresh-cluster.ts";

// The suites that ask for what visits need, which the nodes' replicas answer.
needing("postgres").describe("a cluster's store", () => {
  const fresh = freshCluster();
  const { describe } = needing("postgres");
  const current = () => fresh.store;
  const other = () => fresh.other;

  describe("keeps certificates of which", () => certificateContract(current, other));
  describe("keeps claims of which", () => claimContract(current, other));
  describe("limits people", () => limitsContract(current));
  describe("deletes a deployment:", () => deletionContract(current));
  describe("knows encodings that", () => encodingContract(current, other));
  describe("is served from", () => hostingContract(current));
  describe("renames sites, which", () => siteNameContract(current));
  describe("logs whose visitors are affected by", () => routingContract(current, other));
  describe("keeps previews of which", () => previewContract(current));
});
