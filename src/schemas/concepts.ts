/**
 * @file What episodes have taught, for later ones: routines without anything of the instance in which they were found.
 *
 *     {"name": "list_items, inspect+, take_item+, finish", "kind": "routine", "parameters": ["item"],
 *      "cues": ["list_items", "inspect"], "implementation": "list_items(); each: inspect(item); ...", "usedIn": ["knapsack/.../3"]}
 *
 * There is no field for a solution. Written by `statelab agent concepts`, read by `agent run --concepts`.
 */

import { z } from "zod";

export const Concept = z.strictObject({
  name: z.string(),
  kind: z.literal("routine"),
  parameters: z.array(z.string()),
  /** Names of tools by which it is found. */
  cues: z.array(z.string()),
  implementation: z.string(),
  /** The episodes that came to it. */
  usedIn: z.array(z.string()),
});
export type Concept = z.infer<typeof Concept>;

export const ConceptStore = z.strictObject({
  version: z.literal(1),
  world: z.string(),
  concepts: z.array(Concept),
});
export type ConceptStore = z.infer<typeof ConceptStore>;
