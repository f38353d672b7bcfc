import type { Secrets } from "../ports/system.ts";

const ADJECTIVES =
  "amber bold brave breezy bright brisk calm clever cosy crisp dapper eager fair fleet fond gentle glad golden grand " +
  "happy hardy jolly keen kind lively lucky lunar mellow merry mild neat nimble noble plucky polar proud quick quiet " +
  "rapid rosy royal silver sleek snowy solar spry steady sunny swift tidy vivid warm wise witty zesty";

const NOUNS =
  "acorn alder aspen badger beaver birch bison brook canyon cedar cliff clover comet coral crane cricket dune eagle " +
  "elm ember falcon fern finch fjord fox glade grove harbor hare hazel heron ibis island juniper kite lagoon lark " +
  "lynx maple marten meadow mesa moose oak ocean orchid osprey otter owl panda pebble pine plover puffin quail raven " +
  "reef river robin sparrow spruce stork summit swan thistle tiger trout tulip walnut willow wren";

/** Returns a random name such as `brisk-otter-4821`. There are some 40 million, so that collisions are rare. */
export function generateSiteName(secrets: Secrets): string {
  const bytes = secrets.random(8);
  const pick = (words: string, at: number) => {
    const list = words.split(" ");
    return list[(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) % list.length];
  };
  const number = 1000 + ((((bytes[4] ?? 0) << 8) | (bytes[5] ?? 0)) % 9000);
  return `${pick(ADJECTIVES, 0)}-${pick(NOUNS, 2)}-${number}`;
}
