/** @file A file from the network into memory: bounded in size and in time, with progress. */

import { fail, LabError } from "../../core/error.ts";

export interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (bytes: number, all: number | undefined) => void;
  readonly largestBytes?: number;
  /** Without a byte for so long it is given up. */
  readonly idleSeconds?: number;
}

/** @throws LabError (endpoint) naming the address and what went wrong. */
export async function download(
  url: string,
  { signal, onProgress, largestBytes = 2 ** 28, idleSeconds = 30 }: DownloadOptions,
): Promise<Buffer> {
  const idle = new AbortController();
  let timer = setTimeout(() => idle.abort(), idleSeconds * 1000);
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => idle.abort(), idleSeconds * 1000);
  };
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, idle.signal]) });
    if (!response.ok || response.body === null)
      fail(url, "the file", `HTTP ${response.status}`, undefined, "endpoint");
    const all = Number(response.headers.get("content-length")) || undefined;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      again();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > largestBytes)
        fail(url, `at most ${largestBytes} bytes`, "more", "It is not the published file", "endpoint");
      onProgress?.(bytes, all);
    }
    if (all !== undefined && bytes !== all && response.headers.get("content-encoding") === null)
      fail(url, `${all} bytes`, bytes, "The connection ended early: try again", "endpoint");
    return Buffer.concat(chunks);
  } catch (error) {
    if (error instanceof LabError || signal.aborted) throw error;
    const reason = idle.signal.aborted
      ? `nothing for ${idleSeconds} s`
      : ((error as Error & { cause?: Error }).cause?.message ?? (error as Error).message); // fetch throws Errors
    return fail(url, "the file", reason, "Is this machine on the network?", "endpoint");
  } finally {
    clearTimeout(timer);
  }
}
