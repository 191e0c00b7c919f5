/**
 * @file Views: pure functions from the history of an episode to the messages that a policy sees.
 *
 *     full      all turns with their output
 *     window    the last W turns
 *     json      all turns, each with the results of its calls as JSON in place of the output; for models without an interpreter
 *                   inspect("item_3f") {"weight":12,"value":71,"class":"C"}
 */

import { z } from "zod";
import type { EpisodeBegin, EpisodeTurn } from "../../../schemas/agents.ts";
import { asMessages, type History, keptReply, type Message } from "../history.ts";
import type { Entry } from "../registry.ts";

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface View<Params = any> extends Entry<Params> {
  show(history: History, params: Params, begin: Pick<EpisodeBegin, "turns">): readonly Message[];
}

const defineView = <Params>(view: View<Params>): View<Params> => view;

export const full = defineView({
  name: "full",
  summary: "all turns",
  params: z.strictObject({}),
  show: (history) => history.flatMap((turn) => asMessages(turn)),
});

export const window = defineView({
  name: "window",
  summary: "the last turns (window.turns)",
  params: z.strictObject({ turns: z.int().min(0).default(4).describe("Number of shown turns") }),
  show: (history, { turns }) =>
    history.slice(Math.max(0, history.length - turns)).flatMap((turn) => asMessages(turn)),
});

export const json = defineView({
  name: "json",
  summary: "the result of every call as JSON",
  params: z.strictObject({}),
  show: (history) => history.flatMap((turn) => asMessages(turn, turn.calls.map(callLine).join("\n"))),
});

/** One line for a call and its result. */
export function callLine({ name, arguments: given, answer }: EpisodeTurn["calls"][number]): string {
  const result = JSON.stringify("error" in answer ? answer : answer.value);
  return `${name}(${given.map((each) => JSON.stringify(each)).join(", ")}) ${result}`;
}

/**
 * View: names and types of the variables in the interpreter, and the last turns; a long output is replaced by
 * its length.
 *
 *     seen: dict, ids: list
 *
 * Values passed between calls are not shown: 10^4 numbers through k calls cost O(k) tokens instead of k 10^4.
 *
 * Source: acodercat/cave-agent: output of more than 5,000 characters is replaced, not cut; at most ten steps.
 */
export const runtime = defineView({
  name: "runtime",
  summary: "names and types in the interpreter, and the last turns without long outputs",
  params: z.strictObject({
    steps: z.int().min(1).default(10).describe("Number of shown turns"),
    characters: z.int().min(0).default(5000).describe("Longest shown output"),
  }),
  show(history, { steps, characters }) {
    const names = history.at(-1)?.end.names ?? [];
    const turns = history.slice(Math.max(0, history.length - steps)).flatMap((turn) => {
      const { output, characters: printed } = turn.end;
      const words = `The output of ${printed} characters is longer than ${characters} and is not shown.`;
      return asMessages(turn, printed > characters ? words : output);
    });
    const alive = names.map(([name, kind]) => `${name}: ${kind}`).join(", ");
    return names.length === 0 ? turns : [...turns, { role: "user", text: `live objects: ${alive}` }];
  },
});

/**
 * View: the last turn, a stub for each earlier message, and the notes in the replies (`# note: ...`).
 *
 *     T lines of c tokens, m of them a turn, prompt P, notes N, stub s:
 *     peak = P + m c + N + 2 s T / m        smallest at m* = sqrt(2 T s / c)
 *
 * It reduces the longest prompt, not the total: shorter turns read everything more often.
 *
 * Source: xyliu-cs/StateLM (`deleteContext` leaves a stub where a message was).
 */
export const notes = defineView({
  name: "notes",
  summary: "the last turn, stubs of earlier ones, and notes from replies (# note: ...)",
  params: z.strictObject({
    stub: z
      .string()
      .default("Content has been deleted to save space.")
      .describe("Text in place of earlier turns"),
    keep: z.enum(["all", "last"]).default("all").describe("Shows all notes, or only the last"),
  }),
  show(history, { stub, keep }) {
    const [last] = history.slice(-1);
    if (last === undefined) return [];
    const before = history.slice(0, -1).flatMap((): Message[] => [
      { role: "assistant", text: stub },
      { role: "user", text: stub },
    ]);
    const kept = keep === "all" ? parseNotes(history) : parseNotes(history).slice(-1);
    return [
      ...before,
      ...asMessages(last),
      ...(kept.length === 0 ? [] : [{ role: "user" as const, text: kept.join("\n") }]),
    ];
  },
});

/** The notes in the replies, oldest first. */
function parseNotes(history: History): string[] {
  return history.flatMap((turn) => keptReply(turn).match(/^# note: .*$/gm) ?? []);
}

/**
 * View: the last turn, preceded by each distinct successful call once, at the position of its last occurrence.
 *
 *     edit("file_3.py") "written"           a line for each call, with its answer
 *
 * A policy that forgets what is not shown still edits each of k files once if its window is at least k - 1 edits.
 *
 * Source: the state command of microsoft/RefactorBench (all edits, deduplicated).
 */
export const summary = defineView({
  name: "summary",
  summary: "the last turn, and each earlier call once, with its answer",
  params: z.strictObject({}),
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
    return [...done, ...asMessages(last)];
  },
});

/**
 * The last W turns, and one block about the agent itself: which step it is, what is left, what was last known to be so, what has
 * failed.
 *
 *     step 4 of 40; calls 12
 *     last answer: inspect("item_3f") {"weight":12}
 *     failures: KeyError 2
 *
 * Source: the sensorium of seamus-brady/springdrift.
 */
export const self = defineView({
  name: "self",
  summary: "the last turns (self.turns), and step, budget, last answer and failures",
  params: z.strictObject({
    turns: z.int().min(0).default(4).describe("Number of shown turns"),
  }),
  show(history, { turns }, begin) {
    if (history.length === 0) return [];
    const late = history.slice(Math.max(0, history.length - turns));
    return [
      ...late.flatMap((turn) => asMessages(turn)),
      { role: "user", text: blockOf(history, begin.turns) },
    ];
  },
});

function blockOf(history: History, turns: number): string {
  const calls = history.flatMap((turn) => turn.calls);
  const answered = calls.findLast(({ answer }) => !("error" in answer));
  const failures = new Map<string, number>();
  const add = (name: string) => failures.set(name, (failures.get(name) ?? 0) + 1);
  for (const { end } of history) if (end.end !== "finished") add(end.exception);
  const failed = [...failures].map(([name, count]) => `${name} ${count}`).join(", ");
  return [
    `step ${history.length + 1} of ${turns}; calls ${calls.length}`,
    `last answer: ${answered === undefined ? "none" : callLine(answered)}`,
    `failures: ${failed || "none"}`,
  ].join("\n");
}
