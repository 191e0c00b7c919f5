/** @file docs/reference/ops.md: every op of the tensor engine with its signature and the first sentence of what it says of itself, from the sources. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as tensor from "../../src/tensor/index.ts";

/** Given a graph, not a part of one. */
const ofGraphs = new Set(["grad", "peakBytes", "writeOnnx", "compile"]);
const folder = fileURLToPath(new URL("../../src/tensor/", import.meta.url));

/** Functions that `statelab/tensor` exports and that take or give a Tensor, by file. */
export function opsPage(): string {
  const files = readdirSync(folder).filter((name) => /^[\w-]+\.ts$/.test(name) && name !== "index.ts");
  const rows = files.sort().flatMap((file) => {
    const text = readFileSync(`${folder}${file}`, "utf8");
    const found = text.matchAll(
      /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export function (\w+)(?:<[^(]*>)?\(([\s\S]*?)\): ([^\n]*?) \{\n/g,
    );
    return [...found].flatMap(([, comment = "", name, parameters, result]) => {
      if (ofGraphs.has(name) || !Object.hasOwn(tensor, name) || !/\bTensor\b/.test(`${parameters} ${result}`))
        return [];
      const list = parameters
        .replaceAll(/\s*\n\s*/g, " ")
        .replace(/,\s*$/, "")
        .trim();
      return [
        `| \`${name}(${list}): ${result}\` | ${sentenceOf(comment)} | [${file}](../../src/tensor/${file}) |`,
      ];
    });
  });
  const cell = (row: string) => row.replaceAll(/`([^`]*)`/g, (code) => code.replaceAll("|", "\\|"));
  return `# The ops

Of these a [model](../how-to/add-a-model.md) is made: \`import { matmul } from "statelab"\` or from \`statelab/tensor\` ([library.md](../how-to/library.md)). Each knows its
gradient; [tensor-engine.md](../concepts/tensor-engine.md) says how. Generated from the sources: \`npx vitest run test/docs/ops-page.test.ts -u\`.

| op | what it is | file |
|---|---|---|
${rows.map(cell).join("\n")}
`;
}

/** The first sentence or equation of a comment, in one line. */
function sentenceOf(comment: string): string {
  const text = comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim())
    .join(" ")
    .trim();
  const [first] = /^.*?[.;](?=\s|$)/.exec(text) ?? [text];
  return first.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
