import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** The C library's names: glibc, musl as Alpine ships it, musl elsewhere. */
const LIBRARIES = ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`, "libc.so"];

/** Returns functions of Linux's C library; null on other systems, or if a function is missing. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  if (process.platform !== "linux") return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols;
    } catch {
      // This library does not exist; the next name is tried.
    }
  }
  return null;
}
