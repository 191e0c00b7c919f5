/** @file docs/reference/ops.md: every op of the tensor engine with its signature and the first sentence of what it says of itself, from the sources. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as tensor from "../../../src/tensor/index.ts";
import { page, project } from "../docs.test-helper.ts";
import { generated, table } from "./markdown.ts";

/** Given a graph, not a part of one. */
const ofGraphs = new Set(["grad", "peakBytes", "writeOnnx", "compile"]);
const folder = "src/tensor";

/** Functions that `statelab/tensor` exports and that take or give a Tensor, by file. */
export function opsPage(): string {
  const files = readdirSync(join(project, folder)).filter(
    (name) => /^[\w-]+\.ts$/.test(name) && name !== "index.ts",
  );
  const rows = files.sort().flatMap((file) => {
    const text = page(`${folder}/${file}`);
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
        [`\`${name}(${list}): ${result}\``, sentenceOf(comment), `[${file}](../../src/tensor/${file})`],
      ];
    });
  });
  return generated(
    "Ops",
    "These are the functions that a [model](../how-to/add-a-model.md) is made of. Import them from `statelab/tensor`. Each has a gradient ([how](../concepts/tensor-engine.md)), except `correct`, `oneHot`, `sessionStarts`, `sessionPlaces` and `stopGradient`.",
    "B is the batch, T the length, d a width, h the number of heads. `[..., d]` means any leading axes. An op without a description works element by element, and two tensors broadcast as in PyTorch.",
    table(["op", "what it is", "file"], rows),
  );
}

/** The first sentence or equation of a comment, in one line. */
function sentenceOf(comment: string): string {
  const text = comment
    .split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, "").trim())
    .join(" ")
    .trim();
  const [first] = /^.*?[^.\s]\.(?=\s|$)/.exec(text) ?? [text];
  return first.replaceAll("<", "&lt;").replaceAll("|", "\\|");
}
