import type { Database } from "bun:sqlite";
import type { ContentPlace, ContentPlaces, PlacedContent } from "../../domain/ports/store/content-objects.ts";

/** Finds content by a node's replica, and asks `database` for what no deployment in the replica uses. */
export function placesInReplica(raw: Database, database: ContentPlaces): ContentPlaces {
  const locate = raw.prepare<ContentPlace, [string]>(`
    SELECT ?1 AS digest, used.size AS size, offset, name AS object, content_objects.size AS objectSize
    FROM (SELECT id AS content_id, '' AS coding, size FROM contents WHERE digest = ?1
      UNION ALL SELECT content_id, coding, size FROM encodings WHERE digest = ?1) AS used
    JOIN content_places USING (content_id, coding) JOIN content_objects ON content_objects.id = object_id LIMIT 1`);
  const contentsOf = raw.prepare<PlacedContent, [string]>(`
    SELECT DISTINCT coalesce(encodings.digest, contents.digest) AS digest,
      coalesce(encodings.size, contents.size) AS size, offset
    FROM content_objects JOIN content_places ON object_id = content_objects.id
    JOIN contents ON contents.id = content_places.content_id LEFT JOIN encodings USING (content_id, coding)
    WHERE name = ? ORDER BY offset, digest`);
  return {
    locate: async (digest) => locate.get(digest) ?? database.locate(digest),

    async contentsOf(object) {
      const known = contentsOf.all(object);
      return known.length > 0 ? known : database.contentsOf(object);
    },
  };
}
