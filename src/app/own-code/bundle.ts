/**
 * @file A user's own file and all that it imports as one text, so that a run can keep what made it:
 *
 *     mine.ts   import { helper } from "./helper.ts"        own/model.mjs   var helper = ...; export { ... as default }
 *               import { defineModel } from "statelab"                      import { defineModel } from "statelab"
 *
 * Types are taken out by esbuild, not checked; every file is read as a module, whatever package.json is above it. Packages
 * are taken in as well; only the lab stays outside. `import.meta.url` stays that of each file: what it reads from the disk
 * beside itself is not kept.
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, Plugin } from "esbuild";
import { fail } from "../../core/error.ts";
import { sha256 } from "../../storage/index.ts";

/** One file that went into a bundle, outside of packages. */
export interface SourceFile {
  readonly path: string;
  readonly sha256: string;
}

export interface OwnSource {
  /** The file that was named, absolute. */
  readonly path: string;
  readonly code: string;
  /** The file and those that it imports, by which a later look tells whether they are still the same. */
  readonly sources: readonly SourceFile[];
}

/** Throws a LabError of kind "usage" in one sentence when there is no such file, or it cannot be read as a module. */
export async function bundled(path: string): Promise<OwnSource> {
  const file = resolve(path);
  if (!existsSync(file)) fail(path, "an existing file", "no such file");
  if (!/\.(m?ts|[cm]?js)$/.test(file)) fail(path, "a .ts, .mts, .js or .mjs file", extname(file));
  const sources: SourceFile[] = [];
  const { build } = await import("esbuild");
  try {
    const { outputFiles } = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      ...{ bundle: true, write: false, format: "esm", platform: "node", target: "node20" },
      ...{ external: ["statelab", "statelab/*"], tsconfigRaw: "{}", logLevel: "silent", charset: "utf8" },
      plugins: [labOutside, readingInto(sources)],
    });
    sources.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { path: file, code: outputFiles[0].text, sources };
  } catch (error) {
    const [first] = (error as Partial<BuildFailure>).errors ?? [];
    if (first === undefined) throw error;
    const { text, location } = first;
    const place =
      location === null ? "" : `${placeOf(join(dirname(file), location.file), file)}line ${location.line}: `;
    return fail(path, "a module that loads", `SyntaxError: ${place}${text}`);
  }
}

const placeOf = (at: string, entry: string) => (at === entry ? "" : `${at}, `);

/** A file of the lab's own that is named by its path is the one that runs, not a copy of it. */
const labOutside: Plugin = {
  name: "lab-outside",
  setup(builder) {
    const ours = ["../..", "../../../experiments/", "../../../bench/"].map((path) =>
      resolve(import.meta.dirname, path),
    );
    builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
      const target = resolve(resolveDir, path);
      const inside = ours.some((folder) => target.startsWith(join(folder, "/")));
      return inside ? { path: pathToFileURL(target).href, external: true } : undefined;
    });
  },
};

function readingInto(sources: SourceFile[]): Plugin {
  return {
    name: "reading",
    setup(builder) {
      builder.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        if (!/[/\\]node_modules[/\\]/.test(path)) sources.push({ path, sha256: sha256(text) });
        const own = JSON.stringify(pathToFileURL(path).href);
        return { contents: text.replaceAll("import.meta.url", own), loader: /ts$/.test(path) ? "ts" : "js" };
      });
    },
  };
}
