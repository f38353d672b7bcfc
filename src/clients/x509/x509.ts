// @peculiar/x509 resolves its algorithms through tsyringe, which wants this polyfill before it is loaded.
import "reflect-metadata";

export * from "@peculiar/x509";
