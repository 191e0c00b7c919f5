/**
 * @file Builds the page into a folder that any web server can serve from any path: `node web/build.mjs dist/web`.
 *
 *     page.html -> index.html, page.css, main.js and what it loads when it is needed, NAME.worker.js, models/NAME.safetensors
 *     licenses.txt: of the packages in it
 *     evidence/zoo/laptop-cells.json -> zoo.json, to six digits; without a cell where none was run yet
 *     src/python/tracer/lab -> python/lab.json, frame.html -> python/frame.html with its hash; Pyodide and ONNX Runtime stay in their packages (src/app/studio/site.ts)
 *
 * The sources must be compiled before: they list the files that Python loads.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { frameDocument } from "./python/frame.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** zod has its messages in 60 languages, 240 kB, of which the page uses English. */
const englishMessages = {
  name: "english-messages",
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "export {};" })),
};

export async function buildPage(folder) {
  const out = resolve(folder);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(out, "models"), { recursive: true });
  const { metafile } = await build({
    absWorkingDir: here,
    metafile: true,
    entryPoints: {
      main: "main.tsx",
      "models.worker": "shell-game/models.worker.ts",
      "memory.worker": "memory-view/memory.worker.ts",
      "trainer.worker": "train/trainer.worker.ts",
      "automaton.worker": "automaton/automaton.worker.ts",
    },
    outdir: out,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    chunkNames: "part-[hash]",
    plugins: [englishMessages],
    logLevel: "warning",
  });
  // In the frame a worker is made of a text: one file, and no module.
  await build({
    absWorkingDir: here,
    entryPoints: { "python.worker": "python/python.worker.ts" },
    outdir: out,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    external: ["node:*"],
    define: { "import.meta.url": '"https://none.invalid/"' },
    logLevel: "warning",
  });
  const { loading, startText } = await import("../dist/src/python/sandbox/tracer-sources.js");
  mkdirSync(join(out, "python"));
  writeFileSync(join(out, "python/lab.json"), JSON.stringify({ ...loading(), start: startText }));
  writeFileSync(join(out, "python/frame.html"), frameDocument());
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?!onnxruntime-web)(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [], // that has ort/LICENSE.txt
  );
  const licenses = [...new Set(packages)].sort().map((path) => {
    const file = readdirSync(join(here, path)).find((name) => /^licen[cs]e/i.test(name));
    return `${path.replace(/^.*node_modules\//, "")}\n\n${readFileSync(join(here, path, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(out, "licenses.txt"), licenses.join(`\n${"-".repeat(80)}\n\n`));
  cpSync(join(here, "train/onnxruntime-licence.txt"), join(out, "ort/LICENSE.txt"));
  cpSync(join(here, "page.html"), join(out, "index.html"));
  const styles = [join(here, "page.css"), join(here, "../src/python/debugger/viewer.css")];
  writeFileSync(join(out, "page.css"), styles.map((path) => readFileSync(path, "utf8")).join(""));
  const cells = join(here, "../evidence/zoo/laptop-cells.json");
  const measured = existsSync(cells) ? JSON.parse(readFileSync(cells, "utf8")) : { version: 1, cells: [] };
  // Shares are of at most some thousands of answers: six digits suffice.
  const short = (_, value) =>
    Number.isInteger(value) ? value : typeof value === "number" ? Number(value.toFixed(6)) : value;
  writeFileSync(join(out, "zoo.json"), `${JSON.stringify(measured, short)}\n`);
  for (const name of readdirSync(join(here, "models")))
    if (name.endsWith(".safetensors")) cpSync(join(here, "models", name), join(out, "models", name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage(process.argv[2] ?? "dist/web");
