/**
 * @file Authorization: rejects foreign Origin and Host headers and missing API keys.
 *
 * A web page can reach a server on the same machine through a host name that resolves to 127.0.0.1 (DNS rebinding), visible in the Host
 * header, or by a script, visible in the Origin header.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "./api-error.ts";

export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "localhost" || host === "::1";
}

/** "[::1]:8000" is "::1"; undefined for an invalid host. */
function hostName(header: string | undefined): string | undefined {
  return /^(?:\[([0-9a-fA-F:]+)\]|([\w.-]+))(?::\d+)?$/
    .exec(header ?? "")
    ?.slice(1)
    .find((part) => part)
    ?.toLowerCase();
}

/** @throws ApiError 403, or 401 if the key is missing or wrong. */
export function checkCaller(
  headers: IncomingHttpHeaders,
  { host, key }: { readonly host: string; readonly key: string | undefined },
): void {
  const named = hostName(headers.host);
  // On a public interface any Host is accepted, since the server does not know its names; the key is then mandatory.
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
  const given = headers["x-api-key"]; // of Anthropic's clients
  const bearer = typeof given === "string" ? `Bearer ${given}` : (headers.authorization ?? "");
  if (key !== undefined && !sameText(bearer, `Bearer ${key}`))
    throw new ApiError(
      401,
      "Authorization: expected Bearer and the key of this server, got none or another",
      {
        code: "invalid_api_key",
        headers: { "www-authenticate": "Bearer" },
      },
    );
}

/** Constant-time comparison: digests have equal length. */
function sameText(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

const quoted = (text: string | undefined) =>
  text === undefined ? "none" : JSON.stringify(text.slice(0, 100));
