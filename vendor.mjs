/**
 * @file Before a package is made: ONNX Runtime's binding for the CPU, copied into vendor/, so that installing the package runs no script.
 *
 *     node_modules/onnxruntime-node    its install script downloads CUDA's files, and fails where their host is not there
 *     vendor/onnxruntime-node          the same JavaScript and libraries, without that script and without DirectML, which only a GPU needs
 *     vendor/onnxruntime-web           of ONNX Runtime for the page the two files that the page's trainer loads, for CPU and WebGPU, of 130 MB
 */

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const from = "node_modules/onnxruntime-node";
const to = "vendor/onnxruntime-node";
/** For a GPU of Windows; and a second copy of macOS's library, which nothing loads. */
const leftOut = /^(DirectML|dxcompiler|dxil)\.dll$|^libonnxruntime\.\d+\.\d+\.\d+\.dylib$|\.map$|\.d\.ts$/;

const { name, version, license, main, repository } = JSON.parse(readFileSync(`${from}/package.json`, "utf8"));
if (license !== "MIT")
  throw new Error(`vendor.mjs: expected ${name} to be under the MIT licence, got ${license}`);

rmSync("vendor", { recursive: true, force: true });
if (process.argv.includes("--clean")) process.exit(0); // after the package is made
mkdirSync(to, { recursive: true });
for (const folder of ["bin", "dist"])
  cpSync(`${from}/${folder}`, `${to}/${folder}`, {
    recursive: true,
    filter: (path) => !leftOut.test(basename(path)),
  });
const web = "vendor/onnxruntime-web";
for (const file of ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.jspi.wasm"])
  cpSync(`node_modules/onnxruntime-web/dist/${file}`, `${web}/${file}`);
writeFileSync(
  `${to}/package.json`,
  `${JSON.stringify({ name, version, license, main, repository }, null, 2)}\n`,
);
for (const folder of [to, web]) cpSync("web/train/onnxruntime-licence.txt", `${folder}/LICENSE`);
