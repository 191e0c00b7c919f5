/** @file The built page: its files, read once, so that a request can name one of them and nothing else. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { fail } from "../../records/error.ts";

export interface SiteFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".safetensors": "application/octet-stream",
};

/** Beside the compiled sources, or in dist/ of the sources. */
function siteFolder(): string {
  const beside = fileURLToPath(new URL("../../../web", import.meta.url));
  return existsSync(join(beside, "index.html"))
    ? beside
    : fileURLToPath(new URL("../../../dist/web", import.meta.url));
}

/** By their paths in an address: `/main.js`; `/` is the page itself. Errors: LabError where it was not built. */
export function readSite(folder = siteFolder()): ReadonlyMap<string, SiteFile> {
  if (!existsSync(join(folder, "index.html")))
    fail("studio", "the built page", `no ${folder}`, "Run npm run build");
  const files = new Map<string, SiteFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const type = types[/\.\w+$/.exec(entry.name)?.[0] ?? ""] ?? "application/octet-stream";
    files.set(`/${relative(folder, path).split(sep).join("/")}`, { type, bytes: readFileSync(path) });
  }
  files.set("/", files.get("/index.html")!); // it is there
  return files;
}

/** Copies the page into a folder that is not there yet, or is empty. */
export async function writeSite(out: string): Promise<void> {
  if (existsSync(out) && readdirSync(out).length > 0)
    fail("--build", "a folder that is not there, or is empty", out, "Delete it, or name another");
  await cp(siteFolder(), out, { recursive: true });
}
