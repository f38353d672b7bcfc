/**
 * Returns whether a page of another origin caused a request, as far as the browser tells. Browsers send no
 * `Sec-Fetch-Site` to plain HTTP beyond localhost, and none in versions before 2023.
 */
export function isFromElsewhere(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  return site !== null && site !== "same-origin" && site !== "none";
}
