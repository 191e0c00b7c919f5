/**
 * @file View: the last turn, preceded by each distinct successful call once, at the position of its last occurrence.
 *
 *     edit("file_3.py") "written"           a line for each call, with its answer
 *
 * A policy that forgets what is not shown still edits each of k files once if its window is at least k - 1 edits.
 *
 * Source: the state command of microsoft/RefactorBench (all edits, deduplicated).
 */

import { z } from "zod";
import { asMessages, type Message } from "../history.ts";
import type { View } from "./view.ts";
import { callLine } from "./view.ts";

const Params = z.strictObject({});

export const summary: View<z.infer<typeof Params>> = {
  name: "summary",
  summary: "the last turn, and each different call of those before once, with its answer",
  params: Params,
  show(history) {
    const [last] = history.slice(-1);
    if (last === undefined) return [];
    const lines = new Map<string, string>();
    for (const { calls } of history.slice(0, -1)) {
      for (const call of calls) {
        if ("error" in call.answer) continue;
        const key = JSON.stringify([call.name, call.arguments]);
        lines.delete(key); // moves it to its last occurrence
        lines.set(key, callLine(call));
      }
    }
    const done: Message[] =
      lines.size === 0 ? [] : [{ role: "user", text: `Done so far:\n${[...lines.values()].join("\n")}` }];
    return [...done, ...asMessages(last, last.end.output)];
  },
};
