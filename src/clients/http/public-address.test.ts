import { describe, expect, test } from "bun:test";
import { isPublicAddress } from "./public-address.ts";

describe("only unicast public addresses are public", () => {
  test.each(["9.9.9.9", "104.16.0.1", "2606:4700::1111", "2a00:1450:4001::1"])("%s is", (address) => {
    expect(isPublicAddress(address)).toBeTrue();
  });

  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:9.9.9.9",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001::1",
    "2001:db8::7",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "100::1",
    "nonsense",
  ])("%s is not", (address) => {
    expect(isPublicAddress(address)).toBeFalse();
  });
});
