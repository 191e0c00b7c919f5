/**
 * @file How much rarer are the transitions that a walk over an API sees when it looks for them, and is the machine what Python does?
 *
 *     settings   a domain: a session with local and remote state, shapes of tensors, files
 *     work       one domain: traces of 12 calls by three walks, all counting on; different pairs of producer and consumer
 *                and programs of each walk, run contained in Python: every state, and a refused call at each
 *
 * Nothing is trained. Expected: by the choice of calls alone at least 1.5 times as many different pairs as the uniform walk has
 * after as many calls, where about as many calls are drawn as there are pairs; no state that Python does not have. Where all pairs
 * are equally likely, no choice can have more than 1 / (1 - 1/e) = 1.58 times as many at that point, less before and after it; a
 * uniform walk is skewed, and so more is possible. Refuted if the ratio at that point is below 1.5.
 *
 * Source: StateGen (YuhengHuang42/stateful_bench), read as code; the domains and the number are our own.
 */

import { type Rng, rngFrom } from "../../src/core/rng.ts";
import { mean } from "../../src/core/statistics.ts";
import { findNative } from "../../src/python/sandbox/native.ts";
import { openHost } from "../../src/python/sandbox/open.ts";
import type { PythonSession } from "../../src/python/sandbox/session.ts";
import type { NumbersFigure } from "../../src/report/index.ts";
import { type DomainName, domains } from "../../src/tasks/api/index.ts";
import {
  coverage,
  type DrawnTrace,
  drawTrace,
  fresh,
  rare,
  uniform,
  type Walk,
} from "../../src/tasks/api/sampler.ts";
import { type ApiMachine, type ApiState, apiMachine, type Call } from "../../src/tasks/api/state-machine.ts";
import { callsText } from "../../src/tasks/api.ts";
import { atMost, check } from "../runner/checks.ts";
import {
  crossed,
  defineExperiment,
  type Measurements,
  type Measuring,
  OWN_QUESTION,
  type PlannedWork,
  type Scale,
  type UnreadResult,
} from "../runner/define.ts";
import { defineMeasurement, measuredLine } from "../runner/views.ts";

interface Compared {
  /** After the start and after each call. */
  readonly states: number;
  readonly refusals: number;
  /** Lines that are not what the machine says. */
  readonly different: number;
}

/** @throws Error where the program does not run to its end. */
async function compareTrace(
  session: PythonSession,
  machine: ApiMachine,
  { start, made }: DrawnTrace,
  rng: Rng,
): Promise<Compared> {
  const { variables, domain } = machine;
  const show = `print([${variables.join(", ")}])`;
  const expected: string[] = [];
  const lines = [domain.python, ...start.map((value, i) => `${variables[i]} = ${value}`)];
  let refusals = 0;
  const stand = (state: ApiState) => {
    lines.push(show);
    expected.push(`[${state.join(", ")}]`);
    const refusal = refusedCall(machine, state, rng);
    if (refusal === undefined) return;
    refusals++;
    lines.push(
      "try:",
      `    ${refusal.call.text}`,
      "except Exception as error:",
      "    print(type(error).__name__)",
    );
    lines.push(show);
    expected.push(refusal.error, `[${state.join(", ")}]`);
  };
  stand(start);
  for (const call of made) {
    lines.push(callsText([call]).trimEnd());
    stand(call.done.state);
  }
  const outcome = await session.run({ code: lines.join("\n"), tools: [] }, () => ({ value: null }));
  if (outcome.kind !== "cell" || !("end" in outcome) || outcome.end.end !== "finished")
    throw new Error(`a trace of ${domain.name} did not run: ${JSON.stringify(outcome)}`);
  const printed = outcome.end.output.trimEnd().split("\n");
  const longer = Math.max(printed.length, expected.length);
  const different = Array.from({ length: longer }, (_, i) => printed[i] !== expected[i]).filter(Boolean);
  return { states: made.length + 1, refusals, different: different.length };
}

/** A call that is not possible here, if there is one. */
function refusedCall(
  machine: ApiMachine,
  state: ApiState,
  rng: Rng,
): { readonly call: Call; readonly error: string } | undefined {
  const refused = machine.calls.flatMap((call) => {
    const done = machine.make(state, call);
    return typeof done === "string" ? [{ call, error: done }] : [];
  });
  return refused.length === 0 ? undefined : refused[rng.below(refused.length)];
}

interface Settings {
  /** Traces after which pairs are counted, rising. */
  readonly traces: readonly number[];
  readonly length: number;
  /** Traces of the walk by which the number of pairs is found. */
  readonly longest: number;
  /** Programs of each walk that Python runs. */
  readonly programs: number;
}

const length = 12;
const settings: Record<Scale, Settings> = {
  smoke: { traces: [5, 10], length, longest: 60, programs: 2 },
  laptop: { traces: [5, 10, 15, 20, 25, 30, 40, 60, 80, 120, 160], length, longest: 1000, programs: 200 },
  paper: {
    traces: [5, 10, 15, 20, 25, 30, 40, 60, 80, 120, 160, 320],
    length,
    longest: 4000,
    programs: 2000,
  },
};

const walks: Record<string, Walk> = { rare, fresh, uniform };
const models = {
  rare: { label: "rare first", summary: "calls with pairs that were never seen; else by the rarest pair" },
  fresh: { label: "no repetition", summary: "any possible call that the trace has not made" },
  uniform: { label: "uniform walk", summary: "any possible call" },
};

const pairsSeen = defineMeasurement({
  id: "pairsSeen",
  label: "different pairs of producer and consumer",
  at: { calls: "calls" },
  values: { pairs: "pairs", perPair: "calls by pair that there is", ratio: "times the uniform walk" },
});

const pythonAgrees = defineMeasurement({
  id: "pythonAgrees",
  label: "the machine against Python",
  at: {},
  values: { programs: "programs", states: "states", refusals: "refused calls", different: "different" },
});

async function* measureWork({ setting, seed, options }: PlannedWork): Measuring {
  const { traces, longest, programs } = options as unknown as Settings; // from `plan` below
  const machine = apiMachine(domains[setting as DomainName]);
  const rng = rngFrom(seed).fork(setting);
  const names = Object.keys(walks);
  const of = names.length * (programs + 1) + 1;
  yield { done: 0, of };
  const most = traces[traces.length - 1];
  const all = coverage(machine, { traces: longest, length }, rare, rng.fork("longest")).seen.size;
  const rows: Measurements[number][] = [];
  const baseline = coverage(machine, { traces: most, length }, uniform, rng.fork("uniform")).pairs;
  for (const [i, name] of names.entries()) {
    yield { done: 1 + i, of };
    const { pairs } = coverage(machine, { traces: most, length }, walks[name], rng.fork(name));
    for (const count of traces) {
      const seen = pairs[count - 1];
      const calls = count * length;
      const values = { pairs: seen, perPair: calls / all, ratio: seen / baseline[count - 1] };
      rows.push(pairsSeen.row({ model: name, at: { calls }, values }));
    }
  }
  const host = await openHost(findNative().kind === "found" ? "native" : "embedded", { atMost: 1 });
  try {
    const session = await host.session();
    for (const [i, name] of names.entries()) {
      const total = { programs: 0, states: 0, refusals: 0, different: 0 };
      for (; total.programs < programs; total.programs++) {
        yield { done: names.length + i * programs + total.programs, of };
        const stream = rng.fork("programs").fork(name).fork(total.programs);
        const trace = drawTrace(machine, length, walks[name], new Map(), stream.fork("trace"));
        const { states, refusals, different } = await compareTrace(
          session,
          machine,
          trace,
          stream.fork("refused"),
        );
        total.states += states;
        total.refusals += refusals;
        total.different += different;
      }
      rows.push(pythonAgrees.row({ model: name, values: total }));
    }
    await session.close();
  } finally {
    await host.close();
  }
  return rows;
}

/** The ratio where as many calls as there are pairs were drawn, or nearest to it. */
function ratios(result: UnreadResult, setting: string): number[] {
  return result.seeds.flatMap((seed) => {
    const rows = pairsSeen.of(result, { setting, model: "rare", seed });
    const nearest = rows.toSorted(
      (a, b) => Math.abs(Math.log(a.values.perPair)) - Math.abs(Math.log(b.values.perPair)),
    )[0];
    return nearest === undefined ? [] : [nearest.values.ratio];
  });
}

const names = Object.keys(domains) as DomainName[];

export const apiMachineExperiment = defineExperiment<Settings>({
  name: "api-machine",
  question:
    "Programs of API calls: does a walk that looks for rare transitions see more of them, and does Python agree?",
  about: "do rare transitions occur in drawn API calls (trains nothing)",
  publishedIn: "our own",
  models,
  settings,
  published: [
    ...names.map((setting) => ({
      source: OWN_QUESTION,
      statement: `${setting}: a walk that looks for rare transitions sees at least 1.5 times as many different ones as a uniform walk`,
      published: 1.5,
      here: "different pairs over those of the uniform walk, where about as many calls were drawn as there are pairs",
      unit: "number" as const,
      setting,
      measure: (result: UnreadResult) => ratios(result, setting),
    })),
    {
      source: "by definition",
      statement: "States and refused calls that a contained Python does not have",
      published: 0,
      here: "all domains and walks together",
      unit: "number",
      measure: (result) =>
        result.seeds.map((seed) =>
          pythonAgrees.of(result, { seed }).reduce((sum, { values }) => sum + values.different, 0),
        ),
    },
  ],
  measurements: [pairsSeen, pythonAgrees],
  measureWork,

  plan: (options, seeds) => ({
    runs: [],
    work: crossed(seeds, names).map(([seed, setting]) => ({
      ...{ setting, model: "rare", seed },
      options: { ...options },
    })),
    sample: { name: "api", calls: 8 },
  }),

  checks: (result) => [
    ...names.flatMap((setting) =>
      check(
        `${setting}: pairs over those of the uniform walk`,
        "mean at least 1.5",
        ratios(result, setting),
        mean(ratios(result, setting)) >= 1.5,
        "number",
      ),
    ),
    ...atMost(
      "lines of states that differ from Python's",
      pythonAgrees.of(result).map(({ values }) => values.different),
      0,
      "number",
    ),
  ],

  report: (result) => ({
    lead: "Different pairs of a call and the call that last wrote what it read, where about as many calls were drawn as there are pairs.",
    views: [
      {
        heading: "Different pairs, call by call",
        text: "All walks count on from trace to trace. The first chooses among the possible calls by their pairs, the others do not look at them; the third may also repeat itself within a trace.",
        caption: "Traces of 12 calls. The ratio to the uniform walk is in the table below.",
        figures: names.map((setting) => pairsFigure(result, setting)),
      },
    ],
  }),
});

function pairsFigure(result: UnreadResult, setting: string): NumbersFigure {
  return {
    kind: "numbers",
    title: setting,
    yLabel: "different pairs",
    xLabel: "calls",
    lines: Object.entries(models).map(([model, { label }], index) => ({
      ...{ label, index },
      seeds: measuredLine(pairsSeen.of(result, { setting, model }), "calls", "pairs"),
    })),
  };
}
