/**
 * @file Tasks that another task wraps: which there are, and how the parameters of both stand side by side.
 *
 *     { name: stutter, of: parity, length: 20, pauses: 8 }      `pauses` is stutter's, `length` is parity's
 *
 * To wrap one more: a line in `wrappable`.
 */

import { z } from "zod";
import { DyckParams, dyck } from "./dyck.ts";
import { GroupWordsParams, groupWords } from "./group-words.ts";
import { ParityParams, parity } from "./parity.ts";
import { ReplParams, repl } from "./repl.ts";
import type { Task } from "./task.ts";
import { TomitaParams, tomita } from "./tomita.ts";

/** Words that follow each other, each a command; or a Python session, a line each. */
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

/** `own` beside `of`, and beside all parameters of the task that it names. */
export type Wrapped<Own> = Own & { readonly of: Name } & Readonly<Record<string, unknown>>;

export function wrappedParams<Own extends z.ZodRawShape>(own: Own) {
  const forms = names.map((name) => {
    const of = z.literal(name);
    return wrappable[name].params.extend({ of: name === usual ? of.default(usual) : of, ...own });
  });
  const [first, ...rest] = forms;
  // Of every form the fields are these: a union of objects says less.
  return z.discriminatedUnion("of", [first, ...rest]) as unknown as z.ZodType<
    Wrapped<z.infer<z.ZodObject<Own>>>
  >;
}

/** The task that is wrapped, and its own parameters. */
export function innerOf<Own>(params: Wrapped<Own>, own: readonly (keyof Own)[]) {
  const { task, params: schema, form } = wrappable[params.of];
  const inner = Object.fromEntries(
    Object.entries(params).filter(([key]) => key !== "of" && !own.includes(key as keyof Own)),
  );
  // A task takes exactly what its own schema gives, and the parameters have passed it.
  return {
    task: task as unknown as Task<unknown>,
    params: schema.parse(inner) as unknown,
    form: form as Form,
  };
}
