/**
 * @file Linear probes of the state at each token of a command, by layer, with two controls: where the state can be read, and where it is
 * lost.
 *
 *     features     the residual of a layer, or the memory of a delta head (through a random projection if it is large)
 *     label        the value of each variable after the command; one probe per variable, accuracies averaged
 *     random       the same labels, shuffled over all rows: what a probe of this size reads from noise
 *     alternative  the values of the variables if commands had other meanings: the same text, another semantics.
 *                  A probe that computes the state itself from the text would do as well here.
 *
 * Three parts of the programs: on the first half a probe is fitted, by the next quarter the best probe is chosen, on the
 * last quarter it is scored. The best of many by the scores themselves would be best in part by luck, and look better.
 * Source: Hewitt and Liang 2019, arXiv:1909.03368 (controls); Jin and Rinard 2023, arXiv:2305.11169 (alternative semantics).
 */

import { z } from "zod";
import { clusteredMean } from "../core/cluster-robust.ts";
import { percentSign } from "../core/format.ts";
import { shuffled } from "../core/permutations.ts";
import { ridgeClassifiers, ridgeRows } from "../core/ridge-classifier.ts";
import type { Rng } from "../core/rng.ts";
import { mean } from "../core/statistics.ts";
import { defineAnalysis, ifHasGate, ifHasTap, inSteps } from "./analysis.ts";
import type { Part } from "./figures.ts";
import { commandAt } from "./keys.ts";
import { layersWithMemory, runMemory } from "./memory.ts";
import { layersWith, type Program, type Recording, rowAt } from "./recording.ts";
import { Interval } from "./seed-aggregate.ts";

export const probeLabels = ["state", "random", "alternative"] as const;
export type ProbeLabel = (typeof probeLabels)[number];

const ProbeScore = z.strictObject({
  accuracy: z.number(),
  /** At 95 %, over programs. */
  interval: Interval,
});
export type ProbeScore = z.infer<typeof ProbeScore>;

const Probe = z.strictObject({
  /** `residual 1` or `memory 0.1`. */
  site: z.string(),
  /** Place in a command; undefined where the model is asked. */
  place: z.int().optional(),
  token: z.string(),
  rows: z.int(),
  /** Accuracy of `state` on the programs that `bestProbe` chooses by: to choose, not to tell. */
  selection: z.number().optional(),
  /** On the programs that neither fitted nor chose. */
  scores: z.partialRecord(z.enum(probeLabels), ProbeScore),
  /** Accuracy of `state` by number of commands, as [commands, accuracy]; on the same programs as `scores`. */
  byCommands: z.array(z.tuple([z.int(), z.number()])),
});
export type Probe = z.infer<typeof Probe>;

export const Probes = z.strictObject({
  /** A guess among the values that a variable can hold. */
  chance: z.number(),
  /** The alternative semantics, as [command, what it means], and how often its states agree with the true ones. */
  meaning: z.array(z.tuple([z.string(), z.string()])),
  agreement: z.number().optional(),
  probes: z.array(Probe),
});
export type Probes = z.infer<typeof Probes>;

interface Row {
  readonly program: number;
  readonly t: number;
  /** The state that is looked for is that after so many commands. */
  readonly commands: number;
}
interface Spot {
  readonly place: number | undefined;
  readonly token: string;
  readonly rows: readonly Row[];
}

/** Larger memories are probed through a random projection: a linear probe of it is one of the memory. */
const MOST_FEATURES = 64;
/** Rows of one probe. More make no difference that is seen. */
const MOST_ROWS = 2000;

/** Yields after each place of reading how many there are. */
export function* probeStates(recording: Recording, rng: Rng): Generator<number, Probes> {
  const { programs, values } = recording;
  const spots = spotsOf(programs, rng.fork("rows"));
  const alternative = alternativeStates(programs, 1 / values.length);
  const probes: Probe[] = [];
  const sites = sitesOf(recording, rng);
  for (const site of sites) {
    const features = site.features(spots.map(({ rows }) => rows));
    for (const [s, spot] of spots.entries()) {
      const labels = {
        state: spot.rows.map(({ program, commands }) => programs[program].states[commands]),
        random: [] as (readonly number[])[],
        alternative: spot.rows.map(({ program, commands }) => alternative?.states[program][commands]),
      };
      labels.random = shuffled(labels.state, rng.fork(`random ${site.name} ${s}`));
      probes.push(probe(site.name, spot, features[s], labels, values.length, programs.length));
    }
    yield sites.length;
  }
  const { meaning = [], agreement } = alternative ?? {};
  return { chance: 1 / values.length, meaning, agreement, probes };
}

function probe(
  site: string,
  { place, token, rows }: Spot,
  features: readonly ArrayLike<number>[],
  labels: Readonly<Record<ProbeLabel, readonly (readonly number[] | undefined)[]>>,
  classes: number,
  programs: number,
): Probe {
  const part = (from: number, to: number) =>
    rows.flatMap(({ program }, i) => (program >= from * programs && program < to * programs ? [i] : []));
  const [fit, choose, score] = [part(0, 1 / 2), part(1 / 2, 3 / 4), part(3 / 4, 1)];
  const fitted = ridgeRows(fit.map((i) => features[i]));
  const scores: Partial<Record<ProbeLabel, ProbeScore>> = {};
  const steps = new Map<number, { asked: number; right: number }>();
  let selection: number | undefined;
  for (const kind of probeLabels) {
    const own = labels[kind];
    const complete = own.filter((label) => label !== undefined);
    if (complete.length < own.length || [fit, choose, score].some(({ length }) => length === 0)) continue;
    const variables = complete[0].map((_, v) => v);
    const classifiers = ridgeClassifiers(
      fitted,
      variables.map((v) => fit.map((i) => complete[i][v])),
      classes,
    );
    const rightAt = (i: number) =>
      variables.filter((v) => classifiers[v](features[i]) === complete[i][v]).length;
    if (kind === "state") selection = mean(choose.map(rightAt)) / variables.length;
    const byProgram = new Map<number, { asked: number; right: number }>();
    for (const i of score) {
      const right = rightAt(i);
      const { program, commands } = rows[i];
      const at = byProgram.get(program) ?? { asked: 0, right: 0 };
      byProgram.set(program, at);
      at.asked += variables.length;
      at.right += right;
      if (kind !== "state") continue;
      const step = steps.get(commands) ?? { asked: 0, right: 0 };
      steps.set(commands, step);
      step.asked += variables.length;
      step.right += right;
    }
    const { share, interval } = clusteredMean([...byProgram.values()]);
    scores[kind] = { accuracy: share, interval };
  }
  const byCommands = [...steps]
    .sort(([a], [b]) => a - b)
    .map(([commands, { asked, right }]): [number, number] => [commands, right / asked]);
  return { site, place, token, rows: rows.length, selection, scores, byCommands };
}

/** The best for the state, by programs that its scores do not count. */
export function bestProbe(probes: readonly Probe[]): Probe {
  return probes.reduce((most, each) => ((each.selection ?? 0) > (most.selection ?? 0) ? each : most));
}

/** Each place of a command, and where the model is asked. Rows are thinned at random: every third, say, would be the same steps of all programs. */
function spotsOf(programs: readonly Program[], rng: Rng): Spot[] {
  const byPlace = new Map<number, { token: string; rows: Row[] }>();
  const asked: Row[] = [];
  for (const [i, program] of programs.entries()) {
    for (let t = 0; t < program.tokens.length; t++) {
      if (program.classes[t] !== "command") continue;
      const at = byPlace.get(program.places[t]) ?? { token: program.tokens[t], rows: [] };
      byPlace.set(program.places[t], at);
      at.rows.push({ program: i, t, commands: commandAt(program, t) + 1 });
    }
    for (const { position } of program.questions) {
      asked.push({ program: i, t: position, commands: program.commands[position] });
    }
  }
  const thinned = (rows: readonly Row[]) => {
    const share = MOST_ROWS / rows.length;
    return share >= 1 ? rows : rows.filter(() => rng.next() < share);
  };
  return [
    ...[...byPlace]
      .sort(([a], [b]) => a - b)
      .map(([place, { token, rows }]) => ({ place, token, rows: thinned(rows) })),
    { place: undefined, token: "asked", rows: thinned(asked) },
  ];
}

interface Site {
  readonly name: string;
  /** Features of each row of each spot. */
  features(spots: readonly (readonly Row[])[]): (readonly ArrayLike<number>[])[];
}

function sitesOf(recording: Recording, rng: Rng): Site[] {
  const residuals = layersWith(recording, "residual").map((layer): Site => {
    const tap = recording.taps[`layers.${layer}.residual`];
    return {
      name: `residual ${layer}`,
      features: (spots) => spots.map((rows) => rows.map(({ program, t }) => rowAt(tap, program, t))),
    };
  });
  const memories = layersWithMemory(recording).flatMap((layer) => {
    const heads = recording.taps[`layers.${layer}.key`].shape[2];
    return Array.from({ length: heads }, (_, head): Site => {
      const name = `memory ${layer}.${head}`;
      return {
        name,
        features: (spots) => memoryFeatures(recording, { layer, head }, spots, rng.fork(name)),
      };
    });
  });
  return [...residuals, ...memories];
}

function memoryFeatures(
  recording: Recording,
  place: { readonly layer: number; readonly head: number },
  spots: readonly (readonly Row[])[],
  rng: Rng,
): Float64Array[][] {
  const features = spots.map((rows) => new Array<Float64Array>(rows.length));
  const wanted = new Map<number, [spot: number, row: number, t: number][]>();
  for (const [s, rows] of spots.entries()) {
    for (const [r, { program, t }] of rows.entries()) {
      const own = wanted.get(program) ?? [];
      wanted.set(program, own);
      own.push([s, r, t]);
    }
  }
  let project: ((memory: Float64Array) => Float64Array) | undefined;
  for (const [program, rows] of wanted) {
    const at = new Map<number, [number, number][]>();
    for (const [s, r, t] of rows) at.set(t, [...(at.get(t) ?? []), [s, r]]);
    runMemory(recording, place, program, (t, memory) => {
      const here = at.get(t);
      if (here === undefined) return;
      project ??= projection(memory.length, rng);
      const row = project(memory);
      for (const [s, r] of here) features[s][r] = row;
    });
  }
  return features;
}

/** Random signs: distances are kept nearly as they are. Source: Achlioptas 2003, J. Comput. Syst. Sci. 66:4. */
function projection(width: number, rng: Rng): (row: Float64Array) => Float64Array {
  if (width <= MOST_FEATURES) return (row) => row.slice();
  const signs = Int8Array.from({ length: MOST_FEATURES * width }, () => (rng.below(2) === 0 ? 1 : -1));
  return (row) =>
    Float64Array.from({ length: MOST_FEATURES }, (_, f) => {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += signs[f * width + i] * row[i];
      return sum / Math.sqrt(width);
    });
}

export interface Alternative {
  /** meaning[i]: the command whose meaning the i-th, in alphabetical order, is given. */
  readonly meaning: [command: string, means: string][];
  /** For each program, the states under that semantics. */
  readonly states: readonly (readonly (readonly number[])[])[];
  /** How often a variable has its true value under it. */
  readonly agreement: number;
}

/**
 * The states under another semantics, by what commands were seen to do: of some exchanges of meanings the one whose
 * states agree with the true ones as nearly as possible by chance alone. (To exchange meanings may rename the state
 * and no more: shifting the three swaps of S_3 changes nothing after an even number of them.) undefined where too few
 * transitions were seen, or where there is but one command.
 */
export function alternativeStates(programs: readonly Program[], chance: number): Alternative | undefined {
  const letters = [...new Set(programs.flatMap((program) => program.letters))].sort();
  if (letters.length < 2) return undefined;
  const next = new Map<string, readonly number[]>();
  for (const { letters: own, states } of programs) {
    for (const [i, letter] of own.entries()) next.set(`${states[i]} ${letter}`, states[i + 1]);
  }
  return exchangesOf(letters)
    .flatMap((means) =>
      underSemantics(programs, next, new Map(letters.map((letter, i) => [letter, means[i]]))),
    )
    .reduce<Alternative | undefined>((best, each) => {
      const distance = ({ agreement }: Alternative) => Math.abs(agreement - chance);
      return best === undefined || distance(each) < distance(best) - 1e-3 ? each : best;
    }, undefined);
}

/** A few orders of the letters: shifted, and with the first two exchanged. */
function exchangesOf(letters: readonly string[]): string[][] {
  const shifts = letters
    .slice(1, 6)
    .map((_, shift) => letters.map((_, i) => letters[(i + shift + 1) % letters.length]));
  return [...shifts, [letters[1], letters[0], ...letters.slice(2)]];
}

function underSemantics(
  programs: readonly Program[],
  next: ReadonlyMap<string, readonly number[]>,
  meaning: ReadonlyMap<string, string>,
): Alternative[] {
  const states: (readonly number[])[][] = [];
  let [same, all] = [0, 0];
  for (const program of programs) {
    const own: (readonly number[])[] = [program.states[0]];
    for (const [i, letter] of program.letters.entries()) {
      const after = next.get(`${own[i]} ${meaning.get(letter)}`);
      if (after === undefined) return [];
      own.push(after);
      same += after.filter((value, variable) => value === program.states[i + 1][variable]).length;
      all += after.length;
    }
    states.push(own);
  }
  return [{ meaning: [...meaning], states, agreement: same / Math.max(1, all) }];
}

export const probes = defineAnalysis({
  name: "probes",
  summary: "where a linear probe can read the state, by layer and token",
  caution:
    "Each row shows the token with the best accuracy on programs that no score counts. The largest number of many is partly luck. A probe shows that the state is readable, not that the model uses it. Intervals (95 %) are over programs, whose rows are similar.",
  found: Probes,
  needs: [ifHasTap("residual", "key", "value", "decay", "heads"), ifHasGate],
  measure: ({ recording, rng, steps }) => inSteps(probeStates(recording, rng), steps),
  part: (found) => (found.probes.length === 0 ? undefined : partOf(found)),
});

const words: Readonly<Record<ProbeLabel, string>> = {
  state: "the state",
  random: "shuffled labels",
  alternative: "another semantics",
};

function partOf({ probes, chance, agreement }: Probes): Part {
  const sites = [...new Set(probes.map(({ site }) => site))];
  const spots = [...new Set(probes.map(({ place }) => place))];
  const at = (site: string, place: number | undefined) =>
    probes.find((each) => each.site === site && each.place === place);
  const bests = sites.map((site) => bestProbe(probes.filter((each) => each.site === site)));
  const best = bestProbe(bests);
  const curves = bests
    .toSorted((a, b) => (b.selection ?? 0) - (a.selection ?? 0))
    .slice(0, 5)
    .filter(({ byCommands }) => byCommands.length > 1);
  return {
    heading: "Linear probes of the state",
    how: [
      "A linear probe (ridge regression) predicts each variable's value after a command from the vectors at its tokens: the residual after each layer and, for heads with a delta rule, the memory. It is fitted on half of the programs. A quarter selects the best token, and the last quarter scores all probes.",
      "Two controls: shuffled labels, and the state under another semantics, in which commands exchange their meanings so that this state agrees with the true one at chance. The first measures what a probe reads from noise, the second what it could compute by itself.",
    ],
    figures: {
      probes: {
        kind: "matrix",
        title: "Accuracy of the probe for the state (%)",
        rowLabel: "read from",
        columnLabel: "token of a command; asked: the token of the answer",
        rows: sites,
        columns: spots.map((place) => at(sites[0]!, place)?.token.trim() || "\\n"),
        cells: sites.map((site) =>
          spots.map((place) => {
            const score = at(site, place)?.scores.state;
            return score && 100 * score.accuracy;
          }),
        ),
        from: 100 * chance,
        to: 100,
        digits: 0,
      },
      ...(curves.length > 0 && {
        "probes-steps": {
          kind: "lines",
          title: "Where the state is lost",
          xLabel: "commands so far",
          scale: "linear",
          chance,
          lines: curves.map(({ site, byCommands }, index) => ({
            label: site,
            index,
            seeds: [{ seed: 0, points: byCommands }],
          })),
        },
      }),
    },
    caption: `Test accuracy per variable; chance is ${percentSign(chance)}. Below: by number of commands, at the best token of each vector.`,
    table: {
      columns: ["read from", "at token", ...probeLabels.map((label) => words[label])],
      rows: bests.map(({ site, place, token, scores }) => [
        site,
        place === undefined ? "where asked" : `${place}: ${token.trim() || "\\n"}`,
        ...probeLabels.map((label) => scoreText(scores[label])),
      ]),
    },
    meaning: meaningOf(best, bests),
    ...(agreement !== undefined && {
      caution: `The other semantics agrees with the true one in ${percentSign(agreement)} of the values.`,
    }),
  };
}

const accuracy = ({ scores }: Probe) => scores.state?.accuracy ?? 0;

function scoreText(score: ProbeScore | undefined): string {
  if (score === undefined) return "\u2013";
  return `${percentSign(score.accuracy)} (${score.interval.map((each) => (100 * each).toFixed(1)).join(" to ")})`;
}

function meaningOf(best: Probe, bests: readonly Probe[]): string[] {
  const { scores, site } = best;
  const controls = probeLabels
    .filter((label) => label !== "state")
    .flatMap((label) => (scores[label] === undefined ? [] : [{ label, score: scores[label] }]));
  const above = controls.every(({ score }) => (scores.state?.interval[0] ?? 0) > score.interval[1]);
  const beside = controls
    .map(({ label, score }) => `${percentSign(score.accuracy)} for ${words[label]}`)
    .join(", ");
  const first = above
    ? `A linear probe reads the state from ${site} with ${percentSign(accuracy(best))}, against ${beside}: above both controls.`
    : `The best probe, of ${site} (${percentSign(accuracy(best))}), is not above its controls (${beside}): no linear probe reads the state.`;
  const residuals = bests.filter((each) => each.site.startsWith("residual") && each !== best);
  const memories = bests.filter((each) => each.site.startsWith("memory"));
  if (!above || memories.length === 0 || residuals.length === 0 || !site.startsWith("memory")) return [first];
  const residual = bestProbe(residuals);
  return [
    first,
    `The best probe of the residual has ${percentSign(accuracy(residual))}: the state is in the memory of that head and is read only at the question.`,
  ];
}
