/**
 * @file The values that names have in a recorded run, each with the moments at which they have it.
 *
 *     total      0: moments 4 to 7      1: 8 to 11      3: 12 to 15
 */

import { MODULE, type Recording } from "../../python/debugger/index.ts";
import { readLiteral } from "../../python/values/literal.ts";
import { pythonLiteral } from "../../python/values/repr.ts";

export interface Span {
  readonly activation: number;
  readonly text: string;
  readonly from: number;
  /** The first moment that has another value, or none. */
  to: number;
}

export interface Returned {
  readonly function: string;
  readonly text: string;
}

export class Values {
  /** Return values of calls, except generators. */
  readonly returns: readonly Returned[];
  readonly #spans = new Map<string, Span[]>();
  readonly #unsure: ReadonlySet<string>;
  readonly #isWhole: boolean;

  constructor(run: Recording, names: ReadonlySet<string>) {
    const { reason } = run.record;
    this.#isWhole = reason === null || reason.startsWith("the call raises");
    this.#unsure = new Set([...unrecordedNames(run.record.source), ...namesBoundTwice(run)]);
    const open = new Map<string, { readonly span: Span; readonly value: unknown }>();
    let keys: readonly string[] = [];
    for (const [moment, event] of run.events.entries()) {
      if (event.names !== undefined)
        keys = event.names.filter((key) => names.has(key.slice(key.indexOf(".") + 1)));
      let literals: Readonly<Record<string, string>> | undefined;
      const state = run.stateAt(moment) ?? {};
      for (const key of keys) {
        const value = state[key];
        const last = open.get(key);
        if (last !== undefined && last.value === value && last.span.to === moment && !hasReference(value)) {
          last.span.to = moment + 1;
          continue;
        }
        literals ??= run.literals(moment);
        const text = literals[key];
        if (last?.span.to === moment && last.span.text === text) last.span.to = moment + 1;
        else {
          const span = {
            activation: Number(key.slice(0, key.indexOf("."))),
            text,
            from: moment,
            to: moment + 1,
          };
          const name = key.slice(key.indexOf(".") + 1);
          const known = this.#spans.get(name);
          if (known === undefined) this.#spans.set(name, [span]);
          else known.push(span);
          open.set(key, { span, value });
        }
      }
    }
    this.returns = run.events.flatMap(({ event, function: name, unwinding, value, activation }) =>
      event === "return" && !unwinding && activation !== MODULE
        ? [{ function: name, text: pythonLiteral(value ?? null) }]
        : [],
    );
  }

  /** In the order in which they began. */
  of(name: string): readonly Span[] {
    return this.#spans.get(name) ?? [];
  }

  /** Whether all values of the name are known. */
  isSure(name: string): boolean {
    return (
      this.#isWhole &&
      !this.#unsure.has(name) &&
      this.of(name).every(({ text }) => readLiteral(text) !== undefined)
    );
  }
}

const references = new WeakMap<object, boolean>();

/** Whether changing another variable may change this value. */
function hasReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const known = references.get(value);
  if (known !== undefined) return known;
  const found = "ref" in value || Object.values(value).some(hasReference);
  references.set(value, found);
  return found;
}

/** Names of comprehensions, lambdas and assignment expressions, whose values are not all recorded. */
function unrecordedNames(source: string): string[] {
  const lists = [
    ...source.matchAll(/\S[^\S\n]*\bfor\s+([^:\n]*?)\s+in\b/g),
    ...source.matchAll(/^\s*for\s+(.*?)\s+in\b[^:]*\n/gm),
    ...source.matchAll(/\blambda\s+([^:]*):/g),
    ...source.matchAll(/\b(\w+)\s*:=/g),
  ];
  return lists.flatMap(([, names]) => names.match(/[A-Za-z_]\w*/g) ?? []);
}

/** Names that one line assigns several times, of which only the last value is recorded. */
function namesBoundTwice({ record: { statements } }: Recording): string[] {
  const lines = new Map<string, number>();
  for (const { line, assigns } of statements)
    for (const [name] of assigns) lines.set(`${line} ${name}`, (lines.get(`${line} ${name}`) ?? 0) + 1);
  return [...lines].flatMap(([key, count]) => (count > 1 ? [key.slice(key.indexOf(" ") + 1)] : []));
}
