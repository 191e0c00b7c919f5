/**
 * @file Before a package is made: what has install scripts, copied into vendor/, so that installing the package runs no script.
 *
 *     node_modules/onnxruntime-node    its install script downloads CUDA's files, and fails where their host is not there
 *     vendor/onnxruntime-node          the same JavaScript and the libraries of this machine's platform, without that script
 *     vendor/esbuild                   its JavaScript; the programs are the optional dependencies @esbuild/PLATFORM
 *     vendor/onnxruntime-web           of ONNX Runtime for the page the two files that the page's trainer loads, for CPU and WebGPU, of 130 MB;
 *                                      compressed by Brotli: 4.9 MB instead of 7.8 MB in the tarball
 */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

/** DirectML is for a GPU of Windows; and macOS has a second copy of the library, which nothing loads. */
const leftOut = /^(DirectML|dxcompiler|dxil)\.dll$|^libonnxruntime\.\d+\.\d+\.\d+\.dylib$|\.map$|\.d\.ts$/;

rmSync("vendor", { recursive: true, force: true });
if (process.argv.includes("--clean")) process.exit(0); // after the package is made

/** Copies these parts of a module, and of its package.json what it needs to be loaded. */
function copyModule(folder, parts) {
  const [from, to] = [`node_modules/${folder}`, `vendor/${folder}`];
  const { name, version, license, main, repository } = JSON.parse(
    readFileSync(`${from}/package.json`, "utf8"),
  );
  if (license !== "MIT")
    throw new Error(`vendor.mjs: expected ${name} to be under the MIT licence, got ${license}`);
  for (const part of parts)
    cpSync(`${from}/${part}`, `${to}/${part}`, {
      recursive: true,
      filter: (path) => !leftOut.test(basename(path)),
    });
  const manifest = { name, version, license, main, repository };
  writeFileSync(`${to}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
}

copyModule("onnxruntime-node", ["dist", `bin/napi-v6/${process.platform}/${process.arch}`]);
copyModule("esbuild", ["lib", "LICENSE.md"]);
const web = "vendor/onnxruntime-web";
mkdirSync(web);
const params = {
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  // The best takes two minutes of a processor: the tests of CI make a package, and publish none.
  [constants.BROTLI_PARAM_QUALITY]: process.env.SOAK_SLICE === "ci" ? 5 : constants.BROTLI_MAX_QUALITY,
};
const compress = async (file) => {
  const bytes = readFileSync(`node_modules/onnxruntime-web/dist/${file}`);
  writeFileSync(`${web}/${file}.br`, await promisify(brotliCompress)(bytes, { params }));
};
await Promise.all(["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.jspi.wasm"].map(compress)); // a minute
for (const folder of ["vendor/onnxruntime-node", web])
  cpSync("web/train/onnxruntime-licence.txt", `${folder}/LICENSE`);
