/**
 * @file Wrapped tasks: the wrappable tasks, and the joint parameters of wrapper and task.
 *
 *     { name: stutter, of: parity, length: 20, pauses: 8 }      `pauses` is stutter's, `length` is parity's
 *
 * To add one: a line in `wrappable`.
 */

import { z } from "zod";
import { DyckParams, dyck } from "./dyck.ts";
import { GroupWordsParams, groupWords } from "./group-words.ts";
import { ParityParams, parity } from "./parity.ts";
import { ReplParams, repl } from "./repl.ts";
import type { Task } from "./task.ts";
import { TomitaParams, tomita } from "./tomita.ts";

/** A sequence of words, each a command; or a Python session, one command per line. */
type Form = "words" | "session";

export const wrappable = {
  "group-words": { task: groupWords, params: GroupWordsParams, form: "words" },
  parity: { task: parity, params: ParityParams, form: "words" },
  tomita: { task: tomita, params: TomitaParams, form: "words" },
  dyck: { task: dyck, params: DyckParams, form: "words" },
  repl: { task: repl, params: ReplParams, form: "session" },
} as const satisfies Record<string, { task: unknown; params: z.ZodObject; form: Form }>;

type Name = keyof typeof wrappable;
const names = Object.keys(wrappable) as Name[];
const usual: Name = "group-words";

/** The fields of `own`, plus `of` and all parameters of the task that it names. */
export type Wrapped<Own> = Own & { readonly of: Name } & Readonly<Record<string, unknown>>;

export function wrappedParams<Own extends z.ZodRawShape>(own: Own) {
  const forms = names.map((name) => {
    const of = z.literal(name).describe("The wrapped task, whose parameters are allowed too");
    return wrappable[name].params.extend({ of: name === usual ? of.default(usual) : of, ...own });
  });
  const [first, ...rest] = forms;
  // All variants share these fields, which a union of objects does not express.
  return z.discriminatedUnion("of", [first, ...rest]) as unknown as z.ZodType<
    Wrapped<z.infer<z.ZodObject<Own>>>
  >;
}

/** The wrapped task, and its own parameters. */
export function unwrapTask<Own>(params: Wrapped<Own>, own: readonly (keyof Own)[]) {
  const { task, params: schema, form } = wrappable[params.of];
  const inner = Object.fromEntries(
    Object.entries(params).filter(([key]) => key !== "of" && !own.includes(key as keyof Own)),
  );
  // A task accepts exactly the output of its schema, and the parameters have passed it.
  return {
    task: task as unknown as Task<unknown>,
    params: schema.parse(inner) as unknown,
    form: form as Form,
  };
}
