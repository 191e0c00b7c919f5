/** @file Test helpers that are run as processes. */

import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { tmpFolder } from "./tmp.ts";

/** Writes a helper with all that it imports into one file, which Node runs at once; with tsx each process takes a second more. */
export function bundle(source: string): string {
  const outfile = join(tmpFolder("bundle"), `${basename(source)}.mjs`);
  const banner = {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  };
  buildSync({ entryPoints: [source], outfile, banner, bundle: true, platform: "node", format: "esm" });
  return outfile;
}
