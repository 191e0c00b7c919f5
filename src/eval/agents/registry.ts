/**
 * @file Entries of the registries, and their lookup by name and parameters.
 *
 *     chosen("view", views, "window", { turns: 2 })        { entry: views.window, params: { turns: 2 } }
 */

import type { z } from "zod";
import { nearest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";

export interface Entry<Params> {
  readonly name: string;
  /** A few words for a list, without a full stop. */
  readonly summary: string;
  readonly params: z.ZodType<Params>;
}

export interface Chosen<E> {
  readonly entry: E;
  /** Whole: defaults are filled in. */
  // biome-ignore lint/suspicious/noExplicitAny: what the entry's own schema gave
  readonly params: any;
}

/** @throws LabError listing the known entries, or naming the wrong parameter. */
// biome-ignore lint/suspicious/noExplicitAny: of any parameters; what is chosen is parsed by its own schema
export function chosen<E extends Entry<any>>(
  kind: string,
  registry: Readonly<Record<string, E>>,
  name: string,
  settings: unknown = {},
): Chosen<E> {
  const names = Object.keys(registry);
  if (!Object.hasOwn(registry, name)) {
    const close = nearest(name, names);
    fail(kind, `one of ${names.join(", ")}`, name, close && `Did you mean ${close}?`);
  }
  const entry = registry[name];
  return { entry, params: parseWith(entry.params, settings, name) };
}
