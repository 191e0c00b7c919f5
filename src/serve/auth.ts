/**
 * @file Who may ask: nobody from another page, nobody by another name, nobody without the key where there is one.
 *
 * A page in a browser can reach a server on the same machine: by a name of its own that it lets point to 127.0.0.1 (DNS
 * rebinding), which the Host header gives away, or by its own script, which the Origin header gives away.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "./api-error.ts";

export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "localhost" || host === "::1";
}

/** "[::1]:8000" is "::1"; undefined for what is no host. */
export function hostName(header: string | undefined): string | undefined {
  return /^(?:\[([0-9a-fA-F:]+)\]|([\w.-]+))(?::\d+)?$/
    .exec(header ?? "")
    ?.slice(1)
    .find((part) => part)
    ?.toLowerCase();
}

/** @throws ApiError 403, or 401 where the key is missing or wrong. */
export function checkCaller(
  headers: IncomingHttpHeaders,
  { host, key }: { readonly host: string; readonly key: string | undefined },
): void {
  const named = hostName(headers.host);
  // Elsewhere a server has names that it does not know; there the key is required, which no page can guess.
  if (isLoopback(host) && !(named !== undefined && (isLoopback(named) || named === host)))
    throw new ApiError(
      403,
      `Host: expected this machine (127.0.0.1, localhost), got ${quoted(headers.host)}`,
      {
        code: "host_not_allowed",
      },
    );
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`)
    throw new ApiError(403, `Origin: expected none or http://${headers.host}, got ${quoted(origin)}`, {
      code: "origin_not_allowed",
    });
  if (key !== undefined && !sameText(headers.authorization ?? "", `Bearer ${key}`))
    throw new ApiError(
      401,
      "Authorization: expected Bearer and the key of this server, got none or another",
      {
        code: "invalid_api_key",
        headers: { "www-authenticate": "Bearer" },
      },
    );
}

/** Takes as long whatever differs: the digests have one length. */
function sameText(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

const quoted = (text: string | undefined) =>
  text === undefined ? "none" : JSON.stringify(text.slice(0, 100));
