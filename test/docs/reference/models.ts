/** @file docs/reference/models.md: every model with its equations, which its file begins with, and its fields. */

import { small } from "../../../src/models/conformance.test-helper.ts";
import { configSchema, type MixerName, mixers, mixerTraits } from "../../../src/models/index.ts";
import type { Fields } from "../../../src/models/naive.ts";
import { configsToTest, subjects } from "../../../src/models/subjects.test-helper.ts";
import { type DescribedKey, describedKeys } from "../../../src/schemas/described-keys.ts";
import { block, code, generated, headerOf, keyTable, sentence, table } from "./markdown.ts";

const names = Object.keys(mixers) as MixerName[]; // its keys

export const modelsPage = () =>
  generated(
    "Models",
    "These are the models that `model.name` of a configuration can name, each with its equations and fields. [Architectures](../concepts/architectures.md) explains what they can track, and [the zoo](../results/zoo.md) measures it. Your own model is a file: [add a model](../how-to/add-a-model.md).",
    "A model is a stack of layers. Each layer is a mixer, which carries information from one position to the next, and a feed-forward layer (SwiGLU). Embedding, norms and head are shared by all models (`src/models/stack.ts`).",
    "By default matrices start with deviation 0.02, and short convolutions by their taps. With `initialization: source` the mixers of flash-linear-attention, Mamba, xLSTM and PD-SSM start as their public layers do, and with `width` all start as nanochat does. With `firstRate: -3` a decay gate forgets slowly at first, so that KDA solves parity in more seeds ([rows](../../evidence/initial-values/log.md)).",
    "A transition is the matrix that updates the state at a token. Its possible eigenvalues, and whether transitions commute, bound what one layer can track. A nonlinear model has no such matrix.",
    overview(),
    "## Fields of every model",
    keyTable(describedKeys(configSchema(mixers.gmu)!), "field"), // it has no other fields
    "## Hybrids",
    "`hybrid` repeats a pattern of mixers over the layers. The fields of a mixer are under its name, and missing fields have their defaults.",
    "```yaml\nmodel:\n  name: hybrid\n  layers: 4\n  pattern: [gated-deltanet, gated-deltanet, gated-deltanet, transformer]\n  gated-deltanet: { heads: 4 }\n```",
    "`gmu` reads the nearest layer below it with a readout, so that a pattern without such a layer is refused. xLSTM[1:1] is the pattern `[mlstm-block, slstm-block]`.",
    "## Sessions end to end",
    `With \`train.packedLength\` a row holds several sessions, and each is computed as if it were alone. These mixers and hybrids of them support it: ${names
      .filter((name) => "packs" in mixers[name])
      .map(code)
      .join(", ")}. The others are refused:`,
    table(
      ["mixer", "why it cannot"],
      names.flatMap((name) => ("unpacked" in mixers[name] ? [[code(name), mixers[name].unpacked]] : [])),
    ),
    "## Shared fields",
    table(
      ["field", "meaning"],
      [...shared].map(([key, { description }]) => [code(key), description]),
    ),
    "## Symbols",
    "x is the input of a token and y the output. d is the width, h the number of heads, dk and dv the widths of a key and a value in a head. B is the batch, T the length. o multiplies element by element, ' transposes.",
    ...names.flatMap(section),
  );

const overview = () =>
  table(
    ["model", "what it is", "eigenvalues", "transitions"],
    names.map((name) => [
      `[${code(name)}](#${name})`,
      mixers[name].summary,
      ...transitions(mixerTraits({ mixer: mixers[name], own: mixers[name].config.parse({}) }).recurrence),
    ]),
  );

function transitions(recurrence: ReturnType<typeof mixerTraits>["recurrence"]): [string, string] {
  if (recurrence === undefined) return ["unknown", ""];
  if (typeof recurrence === "string") return [recurrence, ""];
  const { least, complex, commuting, fixed } = recurrence;
  return [
    complex ? "complex" : `[${least}, 1]`,
    fixed ? "the same at every token" : commuting ? "commute" : "do not commute",
  ];
}

function section(name: MixerName): string[] {
  const [, equations, ...rest] = headerOf(`src/models/${name}.ts`);
  const source = rest.flatMap((text) => /Source:? ([\s\S]*)/.exec(text)?.[1] ?? []).at(-1);
  return [
    `## ${name}`,
    sentence(mixers[name].summary),
    block(equations.replaceAll(/^ {4}/gm, "")),
    ownFields(name),
    `${sharedFields(name)}Taps: ${taps(name)}.`,
    `Source: ${(source ?? mixers[name].source).replaceAll("\n", " ")}`,
  ];
}

/** Names of the values that an analysis can read in a layer, besides its output and the readout of its heads. */
function taps(name: MixerName): string {
  const layers = configsToTest.flatMap(({ name: of, config }) => small(of, config).mixers);
  const own = [
    mixers[name].config.parse({}),
    ...layers.flatMap((layer) => (layer.mixer.name === name ? [layer.own] : [])),
  ];
  const found = own.flatMap((fields) => Object.keys(subjects[name].taps(2, 8, 64, fields as Fields)));
  return [...new Set(found)].map(code).join(", ") || "none";
}

const fields = new Map(names.map((name) => [name, describedKeys(mixers[name].config)]));
const isSame = (one: DescribedKey, other?: DescribedKey) =>
  one.name === other?.name && one.description === other.description;
const all = [...fields.values()].flat();
/** Fields that mean the same in three models or more. */
const shared = new Map(
  all.filter((key) => all.filter((each) => isSame(each, key)).length > 2).map((key) => [key.name, key]),
);
const isShared = (key: DescribedKey) => isSame(key, shared.get(key.name));

function sharedFields(name: MixerName): string {
  const own = fields.get(name)!.filter(isShared); // it is one of the names
  const list = own.map((field) => `${code(field.name)} ${field.default}`).join(", ");
  return list === "" ? "" : `Shared fields: ${list}. `;
}

const ownFields = (name: MixerName) =>
  keyTable(
    fields.get(name)!.filter((key) => !isShared(key)),
    "field",
  );
