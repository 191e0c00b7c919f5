/**
 * @file Endpoint: prompts a language model, which writes its cell between [PYTHON] and [/PYTHON].
 *
 *     Fill a sack of capacity 60 ...          the world's task
 *     [PYTHON]                                every turn that the view shows, oldest first:
 *     ids = list_items()                      the cell,
 *     [/PYTHON]
 *     [OUTPUT]                                and its output
 *     ...
 *     [/OUTPUT]
 *     Turn 2 of 40. ...                       and the instruction
 *
 * With `endpoint.prompt=fixed` the prompt is the same in every runtime; `informed` says whether names persist.
 */

import { z } from "zod";
import { between, isMention } from "../../prompt.ts";
import type { Shown } from "../history.ts";
import type { AskedPolicy } from "./policy.ts";

const Params = z.strictObject({
  prompt: z.enum(["fixed", "informed"]).default("fixed").describe("Whether the prompt names the runtime"),
});
type Params = z.infer<typeof Params>;

/** Text added by `informed`, by runtime. */
const stays: Readonly<Record<string, string>> = {
  persistent: "All cells run in one interpreter: names stay from cell to cell. ",
  stateless: "Each cell runs in an interpreter of its own: no name of an earlier cell is there. ",
  calls:
    "There is no interpreter: write calls of the functions alone, one a line, with literals as arguments. ",
};

export const endpoint: AskedPolicy<Params> = {
  kind: "asked",
  name: "endpoint",
  summary: "a language model behind a server (endpoint.prompt=fixed or informed)",
  params: Params,
  stop: ["[/PYTHON]"],
  replyTokens: 1000,

  prompt({ task, messages, turn, turns }, { prompt }, runtime) {
    const shown = messages.map(({ role, text }) =>
      role === "assistant" ? block("PYTHON", text) : block("OUTPUT", text),
    );
    const told = prompt === "informed" ? (stays[runtime] ?? "") : "";
    const asked = `Turn ${turn + 1} of ${turns}. ${told}Write the next cell between [PYTHON] and [/PYTHON] and nothing behind it.`;
    return [task, ...shown, asked].join("\n\n");
  },

  read: codeIn,
};

const block = (name: string, text: string) => `[${name}]\n${text}\n[/${name}]`;

/**
 * The first cell whose marks are not just mentioned, preferring marks on separate lines; the content of a fence if
 * there is one; without marks the whole reply. Text after it is made up by models without a stop text.
 */
function codeIn(reply: string, _: Shown, __: Params): string {
  const cells = between(reply, "PYTHON", !reply.includes("[PYTHON]"));
  const meant = cells.reverse().filter((cell) => !isMention(cell));
  return unfenced(
    meant.find((cell) => cell.startsWith("\n")) ?? meant[0] ?? reply.replaceAll(/\[\/?PYTHON\]/g, ""),
  );
}

function unfenced(text: string): string {
  const fences = [...text.matchAll(/```[\w-]*[ \t]*\n([\s\S]*?)(?:```|$)/g)];
  return (fences.at(-1)?.[1] ?? text).replace(/^\s*\n/, "").trimEnd();
}
