import { expect, test } from "bun:test";
import { parseS3Url, type S3Destination, shareObjects } from "./destination.ts";

test.each([
  [
    "s3://backups",
    {
      bucket: "backups",
      prefix: "",
      endpoint: "https://s3.us-east-1.amazonaws.com",
      region: "us-east-1",
      virtualHost: true,
    },
  ],
  [
    "s3://backups/vitrine/production/?region=eu-central-1",
    { prefix: "vitrine/production/", endpoint: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1" },
  ],
  [
    "s3://my.Backups_1/p?endpoint=http://10.0.0.7:9000/&region=garage",
    { bucket: "my.Backups_1", prefix: "p/", endpoint: "http://10.0.0.7:9000", region: "garage", virtualHost: false },
  ],
  [
    "s3://backups?endpoint=https://s3.example.org/base&style=virtual",
    { endpoint: "https://s3.example.org/base", virtualHost: true },
  ],
])("%s", (address, wanted) => {
  expect(parseS3Url(address)).toMatchObject({ kind: "s3", url: address, ...wanted });
});

test.each([
  ["s3://", "a URL such as"],
  ["s3://a", "a URL such as"],
  ["s3://key:secret@backups/", "without keys"],
  ["s3://backups/a b", "a prefix of letters"],
  ["s3://backups/a//b", "a prefix of letters"],
  ["s3://backups?endpoint=s3.example.org", "https:// or http://"],
  ["s3://backups?endpoint=https://u:p@s3.example.org", "https:// or http://"],
  ["s3://backups?accessKeyId=1", "only endpoint, region, style"],
  ["s3://backups?region=", "a region such as"],
  ["s3://backups?style=other", "style=path or style=virtual"],
])("%s is refused with the valid formats", (address, usable) => {
  expect(parseS3Url(address)).toContain(usable);
});

test.each([
  ["s3://bucket/a", "s3://bucket/a", true],
  ["s3://bucket", "s3://bucket/a", true],
  ["s3://bucket/a", "s3://bucket/ab", false],
  ["s3://bucket/a", "s3://other/a", false],
  ["s3://bucket/a", "s3://bucket/a?endpoint=https://s3.example.org", false],
])("%s and %s share objects: %s", (one, other, shared) => {
  const [first, second] = [one, other].map((address) => parseS3Url(address) as S3Destination);
  expect([shareObjects(first!, second!), shareObjects(second!, first!)]).toEqual([shared, shared]);
});
