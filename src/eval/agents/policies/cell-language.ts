/**
 * @file Templates: knapsack cells as a few words each, for a model trained on those words alone (task `cells`).
 *
 *     list                 ids = list_items()
 *     fresh                seen = {}
 *     paste                seen = { ... }                    all facts shown of earlier cells, as in `rederive`
 *     inspect 5 10         for item in ids[5:10]:
 *                              seen[item] = inspect(item)
 *     show 5 10            the same, and it prints what it sees
 *     take                 the lines that fill the sack
 *
 * The prompt is the view translated into words, up to the mark of the next cell. A reply is translated into Python;
 * one that is not a sequence of templates is run unchanged. The template copies the facts of `paste`, not the model:
 * the model decides only whether a cell includes what it needs.
 */

import { z } from "zod";
import { factsIn, readTask, taking } from "../environments/knapsack.ts";
import type { Shown } from "../history.ts";
import type { AskedPolicy } from "./policy.ts";

const Params = z.strictObject({
  prompt: z.enum(["fixed", "informed"]).default("fixed").describe("Whether the prompt names the runtime"),
  step: z.int().min(1).max(40).default(5).describe("Inspections per cell, as the prompt says"),
});
type Params = z.infer<typeof Params>;

export const templates: AskedPolicy<Params> = {
  kind: "asked",
  name: "templates",
  summary: "a model trained on the task cells",
  params: Params,
  worlds: ["knapsack"],
  stop: [";"],
  replyTokens: 8,

  prompt(shown, { prompt, step }, runtime) {
    const { budget } = readTask(shown);
    const told = prompt === "informed" ? runtime : "unknown";
    const before = pairsOf(shown).map(
      ([cell, outcome]) => `> ${[...inWords(cell), ";"].join(" ")} ${outcome}\n`,
    );
    return `budget ${budget} step ${step} runtime ${told}\n${before.join("")}> `;
  },

  read: (reply, shown) => inPython(reply.split(";")[0], shown),
};

/** Cells and how they ended, as the view shows them. */
function pairsOf({ messages }: Shown): [cell: string, outcome: string][] {
  return messages.flatMap(({ role, text }, i): [string, string][] =>
    role === "assistant" ? [[text, outcomeOf(messages[i + 1]?.text ?? "")]] : [],
  );
}

/** "ok", or the class of the error in the last line. */
function outcomeOf(text: string): string {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const error = /^(\w+(?:Error|Exception)|stopped)\b/.exec(last)?.[1];
  if (error === undefined) return "ok";
  return error === "NameError" ? error : "error";
}

const looping = (from: string, to: string) => [
  `for item in ids[${from}:${to}]:`,
  "    seen[item] = inspect(item)",
];
const printing = "    print(item, seen[item])";

/** Translates words into Python; other text is unchanged. */
function inPython(reply: string, shown: Shown): string {
  const words = reply.trim().split(/\s+/);
  const lines: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === "list") lines.push("ids = list_items()");
    else if (word === "fresh") lines.push("seen = {}");
    else if (word === "paste")
      lines.push("seen = {", ...factsIn(shown).map(([item, fact]) => `    "${item}": ${fact},`), "}");
    else if (word === "take") lines.push(taking(readTask(shown)));
    else if ((word === "inspect" || word === "show") && isRange(words.slice(at + 1, at + 3))) {
      lines.push(...looping(words[at + 1], words[at + 2]), ...(word === "show" ? [printing] : []));
      at += 2;
    } else return reply.trim();
  }
  return lines.join("\n");
}

const isRange = (words: readonly string[]) => words.length === 2 && words.every((each) => /^\d+$/.test(each));

/** The words of the lines: what `inPython` made of them, or what a script wrote. Of another cell those of its words that are words here. */
export function inWords(cell: string): string[] {
  const known =
    /^(?:(ids = list_items\(\))|(seen = \{\})|(seen = \{$[\s\S]*?^\}$)|for item in ids\[(\d+):(\d+)\]:\n {4}seen\[item\] = inspect\(item\)(\n {4}print\(item, seen\[item\]\))?|(room = \d+\nfor [\s\S]*?finish\(\)))$/gm;
  const found = [...cell.matchAll(known)].flatMap(([, list, fresh, paste, from, to, print, take]) => {
    if (list) return "list";
    if (fresh) return "fresh";
    if (paste) return "paste";
    if (take) return "take";
    return [print ? "show" : "inspect", from, to];
  });
  return found.length > 0 ? found : cell.split(/\s+/).filter((word) => isWord.test(word));
}

const isWord = /^(?:list|fresh|paste|inspect|show|take|[1-3]?\d|40)$/;
