/** @file A server that opens locks: it follows the program in its prompt, and enters what comes next. */

import {
  type Asked,
  type Behaviour,
  chatReply,
  json,
  promptOf,
} from "../../eval/endpoints/server.test-helper.ts";

/** The cell that enters the next digit, computed from the text of the prompt alone. */
export function rightCell(asked: Asked): string {
  const prompt = promptOf(asked);
  const [first, ...lines] = [...prompt.matchAll(/^([a-j](?:, [a-j])+) = (.*)$/gm)];
  const names = first[1].split(", ");
  const values = first[2].split(", ").map(Number);
  const entered = prompt.split("[/PYTHON]\n\n[OUTPUT]").length - 1;
  for (const [, to] of lines.slice(0, entered + 1)) {
    const [one, other] = to.split(", ").map((name) => names.indexOf(name));
    [values[one], values[other]] = [values[other], values[one]];
  }
  return `[PYTHON]\nenter(${values[0]})\n[/PYTHON]`;
}

export const opensLocks: Behaviour = (asked, ...rest) => json(chatReply(rightCell(asked)))(asked, ...rest);
