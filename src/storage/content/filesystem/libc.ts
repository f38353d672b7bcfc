import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** The C library's names: glibc, musl as Alpine ships it, musl elsewhere. */
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`, "libc.so"];

/** Returns functions of Linux' C library; null on other systems, and where it does not have them. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols;
    } catch {
      // Not this C library.
    }
  }
  return null;
}
