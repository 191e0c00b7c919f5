/**
 * @file The page in which programs run, as it is built: its one script, and the policy that lets that script run by its hash and nothing be loaded.
 * A separate page, since one that is written into an iframe inherits the policy of the page around it.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

export function frameDocument() {
  const script = `\n${read("frame.js")}`;
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'none'; script-src 'sha256-${hash}' blob: 'wasm-unsafe-eval'; worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'`;
  return read("frame.html")
    .replace("POLICY", policy)
    .replace("SCRIPT", () => script);
}
