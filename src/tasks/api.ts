/**
 * @file API calls, one a line; the end asserts the whole state.
 *
 *     remote['x'] = 2                             a randomly drawn start
 *     login('ann')
 *     pull('x')
 *     if user == 'bob':                           a block: only the call of the taken branch runs
 *         push('x')
 *     else:
 *         r = get('x')
 *     assert [user, ..., r] == ['ann', ..., 2]    asked: every value
 *
 * The functions are not in the text: a model learns their effects, a language model gets them in its prompt. Calls are sampled so that
 * rare transitions occur (api/sampler.ts), by counts over a fixed set of traces of the same length, so that example i depends only on
 * seed and i.
 *
 * Source: StateGen (YuhengHuang42/stateful_bench), read as code. The domains are our own.
 */

import { z } from "zod";
import { type Rng, rngFrom } from "../core/rng.ts";
import { type DomainName, domains } from "./api/index.ts";
import { counted, drawTrace, type PairCounts, rare, rareByFixed, uniform } from "./api/sampler.ts";
import { type ApiMachine, apiMachine, type Call, resultName } from "./api/state-machine.ts";
import { drawLength, Length, lengthRange } from "./length.ts";
import { defineTask, type Prepared, type Sink, writeList, writeWords } from "./task.ts";
import { asserted, type InWords } from "./task-prompt.ts";

const ApiParams = z.strictObject({
  domain: z
    .enum(Object.keys(domains) as [DomainName, ...DomainName[]])
    .default("session")
    .describe("Functions that the program calls"),
  calls: Length.default(8).describe("Number of calls"),
  blocks: z
    .number()
    .min(0)
    .max(1)
    .default(0.2)
    .describe("Share of the calls inside a block with two branches"),
  walk: z
    .enum(["rare", "uniform"])
    .default("rare")
    .describe("Sampling of calls: rare transitions first, or uniform"),
});
type ApiParams = z.infer<typeof ApiParams>;

export const api = defineTask<ApiParams>({
  name: "api",
  summary: "a Python program of calls that change a hidden state",
  source: "YuhengHuang42/stateful_bench",
  params: ApiParams,
  prepare: prepareApi,
  ask: ({ domain }): InWords => ({
    instruction: `These Python functions are there:\n\n${domains[domain].python}\nBelow are programs that call them and end with an assertion in which ?? stands for a list. Say which list makes it hold: that list alone`,
    language: "Python",
    answers: "literal",
    question({ text }) {
      const at = text.lastIndexOf("[");
      const lines = text.trimEnd().split("\n").length - 1;
      return asserted(text.slice(0, at), text.slice(at).trimEnd(), lines);
    },
  }),
});

const SYMBOLS = [
  ...["\n", " = ", ", ", ")\n", "if ", " == ", ":\n    ", "else:\n    "],
  ...["assert [", "] == [", "]\n"],
];
const [newline, equals, comma, close, when, is, then, otherwise, assert, against, end] = SYMBOLS.keys();

function prepareApi({ domain: name, calls, blocks, walk }: ApiParams): Prepared {
  const domain = domains[name];
  const machine = apiMachine(domain);
  const range = lengthRange(calls, "api");
  const { variables } = machine;
  const heads = domain.apis.map((each) => headOf(each.name, each.result !== undefined));
  const given = domain.apis.flatMap(({ parameters }) => parameters.flatMap(({ values }) => values));
  const words = [...new Set([...SYMBOLS, ...variables, ...domain.values, ...given, ...heads])];
  const places = new Map(words.map((word, i) => [word, i]));
  const word = (text: string) => places.get(text)!; // the vocabulary covers the domain
  const valueAt = new Map(domain.values.map((value, i) => [value, i]));
  const drawn = domain.start.flatMap(([variable, values], i) => (values.length > 1 ? [{ variable, i }] : []));

  function writeCall(sink: Sink, { api: { name: of, result }, given }: Call): void {
    sink.word(word(headOf(of, result !== undefined)));
    writeList(sink, comma, given.length, (i) => word(given[i]));
    sink.word(close);
  }

  function writeBlock(sink: Sink, call: Call, state: readonly string[], rng: Rng): void {
    const at = rng.below(variables.length);
    const others = knownOf(machine).held[at].filter((value) => value !== state[at]);
    const isTaken = others.length === 0 || rng.below(2) === 0;
    const other = machine.calls[rng.below(machine.calls.length)];
    writeWords(
      sink,
      when,
      word(variables[at]),
      is,
      word(isTaken ? state[at] : others[rng.below(others.length)]),
      then,
    );
    writeCall(sink, isTaken ? call : other);
    sink.word(otherwise);
    writeCall(sink, isTaken ? other : call);
  }

  const most = Math.max(...domain.apis.map(({ parameters }) => 2 + Math.max(0, 2 * parameters.length - 1)));
  const line = blocks > 0 ? 6 + 2 * most : most;
  return {
    words,
    variables,
    values: domain.values,
    maximumWords: 4 * drawn.length + range.most * line + 1 + 4 * variables.length,
    maximumStates: range.most + 1,
    write(rng, sink) {
      const how = walk === "rare" ? rareByFixed : uniform;
      const trace = drawTrace(machine, drawLength(range, rng), how, knownOf(machine).counts, rng);
      const held = new Int32Array(variables.length);
      const say = (state: readonly string[]) => {
        for (const [i, value] of state.entries()) held[i] = valueAt.get(value)!; // as above
        sink.state(held);
      };
      for (const { variable, i } of drawn)
        for (const each of [word(variable), equals, word(trace.start[i]), newline]) sink.word(each);
      say(trace.start);
      let state = trace.start;
      for (const { call, done } of trace.made) {
        if (blocks > 0 && rng.next() < blocks) writeBlock(sink, call, state, rng);
        else writeCall(sink, call);
        state = done.state;
        say(state);
      }
      sink.word(assert);
      writeList(sink, comma, variables.length, (i) => word(variables[i]));
      sink.word(against);
      for (const [i, value] of state.entries()) {
        if (i > 0) sink.word(comma);
        sink.reveal(i, held[i]);
        sink.word(word(value));
      }
      sink.word(end);
    },
    references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
  };
}

/** Results are assigned: `r = get(`. */
const headOf = (name: string, gives: boolean) => `${gives ? `${resultName} = ` : ""}${name}(`;

interface Known {
  /** Number of occurrences of each pair. */
  readonly counts: PairCounts;
  /** The possible values by variable. */
  readonly held: readonly (readonly string[])[];
}

const known = new Map<string, Known>();
const sampled = { traces: 300, length: 12 };

/** Statistics of a domain from traces sampled by `rare` with a separate stream. */
function knownOf(machine: ApiMachine): Known {
  const { name } = machine.domain;
  const there = known.get(name);
  if (there !== undefined) return there;
  const [counts, rng]: [PairCounts, Rng] = [new Map(), rngFrom(0).fork("api pairs")];
  const held = machine.variables.map(() => new Set<string>());
  for (let i = 0; i < sampled.traces; i++) {
    const trace = drawTrace(machine, sampled.length, rare, counts, rng.fork(i));
    counted(counts, trace);
    for (const state of [trace.start, ...trace.made.map(({ done }) => done.state)])
      for (const [at, value] of state.entries()) held[at].add(value);
  }
  const found = { counts, held: held.map((values) => [...values].toSorted()) };
  known.set(name, found);
  return found;
}
