/**
 * @file Every result of every tool as JSON in the text: what a model is shown that has no interpreter. What a program printed is
 * not shown.
 *
 *     inspect("item_3f") {"weight":12,"value":71,"class":"C"}
 */

import { z } from "zod";
import type { EpisodeTurn } from "../../../schemas/agents.ts";
import { asMessages } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({});

export const json: View<z.infer<typeof Params>> = {
  name: "json",
  summary: "the result of every call as JSON",
  params: Params,
  show: (history) => history.flatMap((turn) => asMessages(turn, turn.calls.map(callLine).join("\n"))),
};

/** A call and what it gave, in a line. */
export function callLine({ name, arguments: given, answer }: EpisodeTurn["calls"][number]): string {
  const result = JSON.stringify("error" in answer ? answer : answer.value);
  return `${name}(${given.map((each) => JSON.stringify(each)).join(", ")}) ${result}`;
}
