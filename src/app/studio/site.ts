/**
 * @file The built page: its files, read once, so that a request can name one of them and nothing else.
 *
 *     /main.js, /models/lstm.safetensors       as they were built
 *     /python/pyodide.asm.wasm                 Pyodide's own, from its package, read when somebody asks
 *     /ort/ort-wasm-simd-threaded.wasm         ONNX Runtime's, likewise; a package of the lab has them compressed (vendor.mjs)
 *     /ort/ort-wasm-simd-threaded.jspi.wasm    the same with WebGPU
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { fail } from "../../core/error.ts";

export interface SiteFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Content security policy of the page in which programs run. */
  readonly policy?: string;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".safetensors": "application/octet-stream",
  ".wasm": "application/wasm",
};
const FRAME = "/python/frame.html";
const PYTHON_FILES = ["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"];
const ORT_FILES = ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.jspi.wasm"];
/** The training worker compiles WebAssembly and makes no requests. */
const TRAINER = "/trainer.worker.js";
const TRAINER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
const typeOf = (path: string) => types[/\.\w+$/.exec(path)?.[0] ?? ""] ?? "application/octet-stream";

/** The folder of the package, and its version. */
function pyodide(): { readonly folder: string; readonly version: string } {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("pyodide/package.json");
  const { version } = require(manifest) as { version: string }; // npm's own format
  return { folder: dirname(manifest), version };
}

/** Readers by name; none where it was not installed: then nothing is trained in the page. */
export function ortFiles(
  packed = fileURLToPath(new URL("../../../../vendor/onnxruntime-web", import.meta.url)), // from dist/src/app/studio
): (readonly [name: string, read: () => Buffer])[] {
  // Not as the browser's encoding: over http some browsers accept no Brotli.
  if (existsSync(join(packed, `${ORT_FILES[0]}.br`)))
    return ORT_FILES.map((name) => [
      name,
      () => brotliDecompressSync(readFileSync(join(packed, `${name}.br`))),
    ]);
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("onnxruntime-web"));
    return ORT_FILES.map((name) => [name, () => readFileSync(join(folder, name))]);
  } catch {
    return [];
  }
}

/** In the folder of the compiled sources, or in dist/ of the sources. */
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
    files.set(`/${relative(folder, path).split(sep).join("/")}`, {
      type: typeOf(path),
      bytes: readFileSync(path),
    });
  }
  const frame = files.get(FRAME);
  if (frame !== undefined) files.set(FRAME, { ...frame, policy: framePolicy(frame.bytes.toString("utf8")) });
  const python = pyodide().folder;
  for (const name of PYTHON_FILES)
    files.set(`/python/${name}`, {
      type: typeOf(name),
      get bytes() {
        return readFileSync(join(python, name)); // 12 MB, which most never ask for
      },
    });
  const trainer = files.get(TRAINER);
  if (trainer !== undefined) files.set(TRAINER, { ...trainer, policy: TRAINER_POLICY });
  for (const [name, read] of ortFiles())
    files.set(`/ort/${name}`, {
      type: typeOf(name),
      get bytes() {
        return read();
      },
    });
  files.set("/", files.get("/index.html")!); // it is there
  return files;
}

/** The page's own policy, plus what only a header can set: framed by the studio alone, without an origin. */
function framePolicy(page: string): string {
  const [, own = "default-src 'none'"] =
    /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
  return `${own}; frame-ancestors 'self'; sandbox allow-scripts`;
}

/** Copies the page into a folder that is not there yet, or is empty. With ONNX Runtime and Pyodide, and where its source is, as its licence asks. */
export async function writeSite(out: string): Promise<void> {
  if (existsSync(out) && readdirSync(out).length > 0)
    fail("--build", "a new or empty folder", out, "Delete it, or name another");
  await cp(siteFolder(), out, { recursive: true });
  await mkdir(join(out, "ort"), { recursive: true });
  for (const [name, read] of ortFiles()) await writeFile(join(out, "ort", name), read());
  const { folder, version } = pyodide();
  for (const name of PYTHON_FILES) await cp(join(folder, name), join(out, "python", name));
  writeFileSync(
    join(out, "python", "LICENSE.txt"),
    `Pyodide ${version}, under the Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/); its source: https://github.com/pyodide/pyodide\nIn it CPython and its library, under the PSF License: https://docs.python.org/3/license.html\n`,
  );
}
