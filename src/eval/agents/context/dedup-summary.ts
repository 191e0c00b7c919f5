/**
 * @file The last turn, and before it every different call that was answered, once: where the same was called again, where it was last.
 *
 *     edit("file_3.py") "written"           a line for each call, with its answer
 *
 * Who forgets what is not shown forgets nothing here: of k files each is edited once, whatever the window of the policy, so long as that
 * holds k - 1 edits.
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
        lines.delete(key); // so that it stands where it was last
        lines.set(key, callLine(call));
      }
    }
    const done: Message[] =
      lines.size === 0 ? [] : [{ role: "user", text: `Done so far:\n${[...lines.values()].join("\n")}` }];
    return [...done, ...asMessages(last, last.end.output)];
  },
};
