/**
 * @file No interpreter: a reply is calls of tools, one a line, with arguments of JSON, and what they give is text.
 *
 *     inspect("item_3f")        {"weight": 12, ...}        is printed
 *     # note: C is allowed      a comment: nothing
 *     x = inspect("item_3f")    no call: a SyntaxError, as in Python
 */

import { z } from "zod";
import type { CellEnd, Json, ToolCall } from "../../records/agents.ts";
import type { Runtime } from "./runtime.ts";

export const calls: Runtime = {
  name: "calls",
  summary: "no interpreter: replies are calls of tools, results are text",
  params: z.strictObject({}),
  python: false,
  open: () => ({
    async run(reply, act) {
      let output = "";
      for (const line of reply.split("\n").filter((each) => !/^\s*(#|$)/.test(each))) {
        const call = callIn(line);
        if (call === undefined) return ended("syntax", "SyntaxError", `no call of a tool: ${line}`, output);
        const answer = act(call);
        if ("error" in answer) return ended("raised", answer.error, answer.message, output);
        output += `${JSON.stringify(answer.value)}\n`;
      }
      return ended("finished", "", "", output);
    },
    async close() {},
  }),
};

/** The call that a line is, or undefined. */
export function callIn(line: string): ToolCall | undefined {
  const [, name, values] = /^\s*([A-Za-z_]\w*)\((.*)\)\s*$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  try {
    return { name, arguments: JSON.parse(`[${values}]`) as Json[] }; // a list, as it was written
  } catch {
    return undefined;
  }
}

const ended = (end: CellEnd["end"], exception: string, message: string, output: string): CellEnd => ({
  ...{ end, exception, message, output },
  ...{ characters: output.length, names: [] },
});
