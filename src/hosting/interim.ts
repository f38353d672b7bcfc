import type { Store } from "../domain/ports/store.ts";

/** Exact files and `index.html` only; the whole of hosting takes its place. */
export function interimSites(store: Store, path: (digest: string) => string, sitesDomain: string) {
  return async (request: Request, host: string): Promise<Response> => {
    const label = host.endsWith(`.${sitesDomain}`) ? host.slice(0, -sitesDomain.length - 1) : "";
    const [, number, name = label] = /^(\d+)--(.+)$/.exec(label) ?? [];
    const route = await store.sites.findRoute(name);
    if (!route || route.private) return new Response("not found", { status: 404 });
    const deployment = number ? await store.deployments.find(route.siteId, Number(number)) : null;
    const id = number ? deployment?.id : route.activeDeploymentId;
    const manifest = id == null ? null : await store.deployments.manifest(id);
    const wanted = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const file = manifest?.files.find((f) => f.path === wanted || f.path === `${wanted}index.html`);
    if (!file) return new Response("not found", { status: 404 });
    return new Response(Bun.file(path(file.digest)), {
      headers: { ETag: `"${file.digest}"`, "Content-Type": "text/html" },
    });
  };
}
