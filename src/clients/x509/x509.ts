// @peculiar/x509 uses tsyringe, which requires this polyfill to be loaded first.
import "reflect-metadata";

export * from "@peculiar/x509";
