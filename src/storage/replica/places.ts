import type { Database } from "bun:sqlite";
import type { ContentPlace, ContentPlaces, PlacedContent } from "../../domain/ports/store/content-objects.ts";
import { hasDigest } from "./prepare.ts";

/** Finds content by a node's replica, and asks `database` for what no deployment in the replica uses. */
export function placesInReplica(raw: Database, database: ContentPlaces): ContentPlaces {
  const locate = raw.prepare<ContentPlace, [string]>(`
    SELECT ?1 AS digest, representations.size AS size, offset, name AS object, content_objects.size AS objectSize
    FROM representations JOIN content_objects ON content_objects.id = object_id WHERE ${hasDigest("?1")} LIMIT 1`);
  const contentsOf = raw.prepare<PlacedContent, [string]>(`
    SELECT DISTINCT lower(hex(digest)) AS digest, representations.size AS size, offset
    FROM content_objects JOIN representations ON object_id = content_objects.id
    WHERE name = ? ORDER BY offset, 1`);
  return {
    locate: async (digest) => locate.get(digest) ?? database.locate(digest),

    async contentsOf(object) {
      const known = contentsOf.all(object);
      return known.length > 0 ? known : database.contentsOf(object);
    },
  };
}
