/**
 * @file Noting: reads m lines a turn and notes the values of all variables, so that earlier lines need not be shown
 * again.
 *
 *     # note: a=1, b=0, c=2           after all lines but those that are read now
 *     read(45)
 *
 * It uses only its last note and the lines of the last turn; if the view hides the note, it starts again from the
 * first line.
 */

import { z } from "zod";
import type { Shown } from "../history.ts";
import type { ScriptedPolicy } from "./policy.ts";

const Params = z.strictObject({
  /** m */
  chunk: z.int().min(1).default(45),
});

export const noting: ScriptedPolicy<z.infer<typeof Params>> = {
  kind: "scripted",
  name: "noting",
  summary: "reads m lines a turn (noting.chunk) and notes the state",
  params: Params,
  worlds: ["reading"],
  decide(shown, { chunk }) {
    const [, count] = /program of (\d+) lines/.exec(shown.task)!;
    const state = stateOf(shown);
    if (shown.turn * chunk >= Number(count)) return `answer(${state.get("a")})`;
    const note = [...state].map(([name, value]) => `${name}=${value}`).join(", ");
    return `# note: ${note}\nread(${chunk})`;
  },
};

function stateOf({ task, messages }: Shown): Map<string, string> {
  const [, names, values] = /^((?:[a-j], )+[a-j]) = ([\d, ]+)$/m.exec(task)!;
  const numbers = values.split(", ");
  const begin = names.split(", ").map((name, i) => [name, numbers[i]] as const);
  const notes = messages.flatMap(({ text }) => text.match(/^# note: .*$/gm) ?? []);
  const noted = [...(notes.at(-1) ?? "").matchAll(/(\w)=(\d+)/g)].map(
    ([, name, value]) => [name, value] as const,
  );
  const state = new Map(noted.length === 0 ? begin : noted);
  const last = messages.findLast(({ role, text }) => role === "user" && text.startsWith("["));
  for (const [, one, other] of (last?.text ?? "").matchAll(/"(\w), (\w) = \w, \w"/g)) {
    const held = [state.get(one)!, state.get(other)!];
    state.set(one, held[1]);
    state.set(other, held[0]);
  }
  return state;
}
