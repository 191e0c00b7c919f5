/**
 * @file The user's modules that a program imports, from the folder of its file, as Python finds them.
 *
 *     main.py    import shapes.square            { modules: { "shapes/__init__.py": "...", "shapes/square.py": "...", "areas.py": "..." } }
 *                from areas import area
 *
 * Of a package all modules are taken. A name that is not in the folder is the library's, and the sandbox says if it has it.
 */

import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fail } from "../../core/error.ts";

const MOST_CHARACTERS = 2 ** 20;
const importLine = /^[ \t]*(?:from[ \t]+([^\W\d]\w*)[\w.]*[ \t]+import\b|import[ \t]+([^#\n]+))/gmu;

/** What `file` with this text imports from its folder, and what that imports. Nothing for stdin (`-`). @throws LabError */
export function modulesBeside(
  file: string,
  source: string,
): { readonly modules?: Readonly<Record<string, string>> } {
  if (file === "-") return {};
  const folder = realpathSync(dirname(file));
  const modules: Record<string, string> = {};
  const waiting = importedIn(source);
  for (const name of waiting) {
    for (const path of [`${name}.py`, ...packageFiles(folder, name)]) {
      const text = textOf(folder, path);
      if (text === undefined || path in modules) continue;
      modules[path] = text;
      for (const each of importedIn(text)) waiting.add(each);
    }
    const characters = Object.values(modules).reduce((sum, { length }) => sum + length, 0);
    if (characters > MOST_CHARACTERS)
      fail(file, `modules of at most ${MOST_CHARACTERS} characters beside it`, characters);
  }
  return Object.keys(modules).length === 0 ? {} : { modules };
}

/** Top-level names of import statements, also of some lines in texts that only look like them. */
function importedIn(source: string): Set<string> {
  const names = [...source.matchAll(importLine)].flatMap(([, from, list = ""]) =>
    from === undefined ? list.split(",").map((each) => each.trim().split(/[ \t.]/)[0]) : [from],
  );
  return new Set(names.filter((name) => /^[^\W\d]\w*$/u.test(name)));
}

function packageFiles(folder: string, name: string): string[] {
  try {
    return readdirSync(join(folder, name), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".py"))
      .map((path) => [name, ...path.split(sep)].join("/"))
      .toSorted();
  } catch {
    return []; // it is no folder
  }
}

/** undefined if there is no such file, or a link leads out of the folder. @throws LabError for bytes that are not text */
function textOf(folder: string, path: string): string | undefined {
  let real: string;
  try {
    real = realpathSync(join(folder, path));
    if (!real.startsWith(folder + sep) || !statSync(real).isFile()) return undefined;
  } catch {
    return undefined;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(real));
  } catch {
    return fail(real, "text in UTF-8", "bytes that are not", undefined, "corrupt");
  }
}
