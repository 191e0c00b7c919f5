/**
 * @file What the files of a task are at one moment: each by its parts, and each part by the SHA-256 of its bytes.
 *
 *     NAME/17.2/6d1f...   = {"version":1,"files":{"seed-3/metrics.jsonl":{"size":5242880,"parts":["17.1/a3..","17.2/09.."]}, ...}}
 *           17.2/09...    a part that the second attempt at task 17 has put there; 17.1/a3.. is the first one's still
 *           all/41...     what all tasks read
 *
 * Neither listings nor parts are ever changed. What was put by an attempt bears its number: so who goes on may remove what is in its
 * own listing no more, and no attempt that was left over, and does not know it, removes or replaces what somebody else lists.
 */

import { z } from "zod";
import { fail } from "../../../src/core/error.ts";
import { parseWith } from "../../../src/core/settings.ts";
import { parseJson, sha256 } from "../../../src/storage/index.ts";
import type { ObjectStore } from "./store.ts";

/** Bytes in a part: a log of which only the last part has changed is not put there anew, and a large file needs little memory. */
export const partBytes = 4 * 2 ** 20;

const PartName = z.string().regex(/^(all|\d+\.\d+)\/[0-9a-f]{64}$/);
const FileEntry = z.strictObject({ size: z.int().min(0), parts: z.array(PartName) });
export type FileEntry = z.infer<typeof FileEntry>;

export const Listing = z.strictObject({
  version: z.literal(1),
  /** By their paths, seen from the folder that the submissions are in. */
  files: z.record(z.string(), FileEntry),
});
export type Listing = z.infer<typeof Listing>;

export const nothing: Listing = { version: 1, files: {} };

/** A listing may be anybody's who can write there: it names nothing outside of the folder. */
export function isInside(path: string): boolean {
  const parts = path.split("/");
  return !/[\\\0]/.test(path) && parts.every((part) => part !== "" && part !== "." && part !== "..");
}

/** Every object that it needs. */
export const partsOf = ({ files }: Listing): string[] => Object.values(files).flatMap(({ parts }) => parts);

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

/** undefined where it is gone: a later one is there. @throws LabError of kind "corrupt" for other bytes than were put. */
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

/** One part, whose bytes are those of its name. */
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
