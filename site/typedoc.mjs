/** @file The reference of the library: a page for each name that the package may be imported by. */

import { readFileSync } from "node:fs";
import { Comment, OptionDefaults, ReflectionKind } from "typedoc";

const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
/** Sources by the name that each is imported by. */
const sources = Object.entries(exports)
  .filter(([, entry]) => entry.default !== undefined)
  .map(([name, entry]) => [
    name.replace(".", "statelab"),
    entry.default.replace("./dist/", "").replace(/js$/, "ts"),
  ]);

/** TypeDoc names a module by its file. It is named as it is imported, and described by the comment at the head of its file. */
function rename(app) {
  const files = new Map(
    sources.map(([name, source]) => [source.replace(/(\/index)?\.ts$/, ""), [name, source]]),
  );
  app.converter.on("resolveBegin", ({ project }) => {
    for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
      const [name, source] = files.get(module.name);
      const [, about = ""] =
        /@file (?:statelab(?:\/\w+)?: )?([\s\S]*?)\*\//.exec(
          readFileSync(new URL(`../${source}`, import.meta.url), "utf8"),
        ) ?? [];
      const text = about.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();
      module.name = name.replace("statelab/", "");
      module.comment = new Comment([{ kind: "text", text: `\`import { ... } from "${name}"\`: ${text}` }]);
    }
  });
}

export default {
  name: "Library API",
  entryPoints: sources.map(([, source]) => `../${source}`),
  tsconfig: "tsconfig.json",
  basePath: "..",
  plugin: ["typedoc-plugin-markdown", rename],
  outputFileStrategy: "modules",
  out: "api",
  entryFileName: "index",
  readme: "none",
  skipErrorChecking: true,
  validation: false,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  blockTags: [...OptionDefaults.blockTags, "@file"],
  excludeTags: [...OptionDefaults.excludeTags, "@file"],
  useCodeBlocks: true,
  parametersFormat: "table",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  disableSources: true,
};
