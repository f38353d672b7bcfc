import mime from "mime";

/**
 * Returns the media type for a file's name: from the extension alone, never from the content, which together with
 * `nosniff` keeps an uploaded picture from being run as a page.
 */
export function contentType(path: string): string {
  // Without a slash in front a whole name may pass for an extension: a file `html` is no page.
  const type = mime.getType(`/${path}`) ?? "application/octet-stream";
  return type.startsWith("text/") || type === "application/javascript" ? `${type}; charset=utf-8` : type;
}

/** Whether the media type is that of a page that people read. */
export function isPage(type: string): boolean {
  return type.startsWith("text/html") || type.startsWith("application/xhtml+xml");
}

/** Whether the last segment of a path ends in an extension that is not a page's: such a request never wants a page. */
export function looksLikeAsset(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  if (dot === -1) return false;
  const type = mime.getType(name.slice(dot + 1));
  return type !== null && !isPage(type);
}
