/** @file VitePress writes the path of the site on its server into each file. Here each file finds it out, so that one build works under any path. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What VitePress writes. */
export const base = "/__base__/";

/** Replaces it in the files of a built site. */
export function relocate(folder) {
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.(html|js|css)$/.test(file)) continue;
    const path = join(folder, file);
    const text = readFileSync(path, "utf8");
    const moved = file.endsWith(".html")
      ? page(file, text)
      : file.endsWith(".js")
        ? script(text)
        : style(text);
    if (moved.includes(base)) throw new Error(`${file} has ${base} in a place that this does not know`);
    writeFileSync(path, moved);
  }
}

/** A page's links are relative until the script at its end has run: VitePress keeps them when it goes to a page of another folder. */
function page(file, text) {
  const root = "../".repeat(file.split("/").length - 1) || "./";
  const find = `<script>window.__base=new URL("${root}",location).pathname</script>`;
  const fix = `<script>__VP_SITE_DATA__.base=__base;for(const a of document.querySelectorAll("a[href]"))a.href=a.href</script>`;
  return text
    .replaceAll(base, root)
    .replace("<head>", () => `<head>${find}`)
    .replace("</body>", () => `${fix}</body>`);
}

/** The index of the search has addresses within a text; elsewhere an address is a text. */
function script(text) {
  return text
    .replace(
      /(?<=^const \w+=)('(?:[^'\\]|\\.)*'|`[^`]*`)(?=;export)/s,
      (all) => `${all.replaceAll(base, "@base/")}.replaceAll("@base/",__base)`,
    )
    .replaceAll(`"${base}"`, " __base")
    .replaceAll(`"${base}`, ' __base+"');
}

/** Styles are in assets/, as what they name. */
const style = (text) => text.replaceAll(`${base}assets/`, "");
