/**
 * @file Takes one seed of an experiment's runs into the page: weights, rounded to 16 bits, and what they were trained on and came to.
 *
 *     npx tsx web/models/collect.mjs runs/headline 0
 */

import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { decodeSafetensors, encodeSafetensors } from "../../src/schemas/formats/safetensors.ts";
import { toHalf } from "../shell-game/float16.ts";

const [, , folder, seedText = "0"] = process.argv;
const seed = Number(seedText);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const result = json(`${folder}/result.json`);
const exhibits = Object.entries(result.models).map(([model, { label }]) => {
  const id = model.replace("[-", "-neg").replace("[", "-").replace(",", "-").replace("]", "");
  const run = `${folder}/${id}-seed-${seed}`;
  const config = json(`${run}/config.json`);
  const { vocab } = json(`${run}/tokenizer.json`).model;
  const rows = result.results.filter((row) => row.model === model && row.seed === seed);
  const { tensors } = decodeSafetensors(readFileSync(`${run}/model.safetensors`), run);
  const halves = Object.entries(tensors).map(([path, { shape, data }]) => [
    path,
    { dtype: "F16", shape, data: Uint16Array.from(data, toHalf) },
  ]);
  writeFileSync(here(`${id}.safetensors`), encodeSafetensors(Object.fromEntries(halves)));
  return {
    id,
    label,
    run: `${basename(folder)}/${id}-seed-${seed}`,
    model: config.model,
    tokens: Object.entries(vocab)
      .sort(([, a], [, b]) => a - b)
      .map(([token]) => token),
    conditions: rows.map(({ accuracy, tested }) => ({
      commands: tested.change.commands,
      spacing: tested.change.spacing,
      full: tested.change.reveal === "full",
      accuracy,
      asTrained: tested.asTrained,
    })),
    asked: rows[0].tested.programs,
    command: `${result.command}, seed ${seed}`,
  };
});
writeFileSync(here("exhibits.json"), `${JSON.stringify(exhibits, null, 1)}\n`);
