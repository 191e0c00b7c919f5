/**
 * @file Views: pure functions from the history of an episode to the messages that a policy sees. Three simple ones.
 *
 *     full      all turns with their output
 *     window    the last W turns
 *     json      all turns, each with the results of its calls as JSON in place of the output; for models without an interpreter
 *                   inspect("item_3f") {"weight":12,"value":71,"class":"C"}
 */

import { z } from "zod";
import type { EpisodeBegin, EpisodeTurn } from "../../../schemas/agents.ts";
import { asMessages, type History, type Message } from "../history.ts";
import type { Entry } from "../registry.ts";

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface View<Params = any> extends Entry<Params> {
  show(history: History, params: Params, begin: Pick<EpisodeBegin, "turns">): readonly Message[];
}

const NoParams = z.strictObject({});

export const full: View<z.infer<typeof NoParams>> = {
  name: "full",
  summary: "all turns",
  params: NoParams,
  show: (history) => history.flatMap((turn) => asMessages(turn, turn.end.output)),
};

const WindowParams = z.strictObject({ turns: z.int().min(0).default(4) });

export const window: View<z.infer<typeof WindowParams>> = {
  name: "window",
  summary: "the last W turns (window.turns)",
  params: WindowParams,
  show: (history, { turns }) =>
    history.slice(Math.max(0, history.length - turns)).flatMap((turn) => asMessages(turn, turn.end.output)),
};

export const json: View<z.infer<typeof NoParams>> = {
  name: "json",
  summary: "the result of every call as JSON",
  params: NoParams,
  show: (history) => history.flatMap((turn) => asMessages(turn, turn.calls.map(callLine).join("\n"))),
};

/** One line for a call and its result. */
export function callLine({ name, arguments: given, answer }: EpisodeTurn["calls"][number]): string {
  const result = JSON.stringify("error" in answer ? answer : answer.value);
  return `${name}(${given.map((each) => JSON.stringify(each)).join(", ")}) ${result}`;
}
