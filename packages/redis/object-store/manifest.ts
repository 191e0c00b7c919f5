/**
 * @file Manifest of a task's files at one moment: each file by its parts, each part by the SHA-256 of its bytes.
 *
 *     NAME/17.2/6d1f...   = {"version":1,"files":{"seed-3/metrics.jsonl":{"size":5242880,"parts":["17.1/a3..","17.2/09.."]}, ...}}
 *           17.2/09...    a part put by the second attempt at task 17; 17.1/a3.. is still the first one's
 *           all/41...     files that all tasks read
 *
 * Manifests and parts are immutable. Keys include the attempt's number: a later attempt can remove only what its own manifest lists,
 * and a stale attempt neither removes nor replaces what another manifest lists.
 */

import { z } from "zod";
import { fail } from "../../../src/core/error.ts";
import { parseWith } from "../../../src/core/settings.ts";
import { parseJson, sha256 } from "../../../src/storage/index.ts";
import type { ObjectStore } from "./store.ts";

/** Size of a part: an appended log uploads only its last part, and a large file needs little memory. */
export const partBytes = 4 * 2 ** 20;

const PartName = z.string().regex(/^(all|\d+\.\d+)\/[0-9a-f]{64}$/);
const FileEntry = z.strictObject({ size: z.int().min(0), parts: z.array(PartName) });
export type FileEntry = z.infer<typeof FileEntry>;

export const Listing = z.strictObject({
  version: z.literal(1),
  /** By path, relative to the folder of the submissions. */
  files: z.record(z.string(), FileEntry),
});
export type Listing = z.infer<typeof Listing>;

export const nothing: Listing = { version: 1, files: {} };

/** Anyone with write access can create a manifest: it must not name paths outside of the folder. */
export function isInside(path: string): boolean {
  const parts = path.split("/");
  return !/[\\\0]/.test(path) && parts.every((part) => part !== "" && part !== "." && part !== "..");
}

/** Every object that it needs. */
export const manifestParts = ({ files }: Listing): string[] =>
  Object.values(files).flatMap(({ parts }) => parts);

/** Puts it below `under` (17.2) and returns its name. */
export async function putListing(
  store: ObjectStore,
  name: string,
  under: string,
  listing: Listing,
): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(listing));
  const part = `${under}/${sha256(bytes)}`;
  await store.put(`${name}/${part}`, bytes);
  return part;
}

/** undefined if it is gone: a newer one exists. @throws LabError of kind "corrupt" if its bytes have changed. */
export async function getListing(
  store: ObjectStore,
  name: string,
  part: string,
): Promise<Listing | undefined> {
  if (part === "") return nothing;
  const bytes = await getPart(store, name, part);
  if (bytes === undefined) return undefined;
  const at = `${store.address}/${name}/${part}`;
  const listing = parseWith(Listing, parseJson(bytes.toString("utf8"), at), at);
  const outside = Object.keys(listing.files).find((path) => !isInside(path));
  if (outside !== undefined) fail(at, "paths inside of the folder", outside, undefined, "corrupt");
  return listing;
}

/** One part, verified by its name. */
export async function getPart(store: ObjectStore, name: string, part: string): Promise<Buffer | undefined> {
  const bytes = await store.get(`${name}/${part}`);
  if (bytes === undefined) return undefined;
  const digest = sha256(bytes);
  if (digest !== part.slice(part.indexOf("/") + 1))
    fail(
      `${store.address}/${name}/${part}`,
      "bytes with the SHA-256 of their name",
      digest,
      "The store has changed them",
      "corrupt",
    );
  return bytes;
}
