// Trains zoo cells with other initial values: node evidence/initial-values/measure.mjs ROW,.. COLUMN,.. START,.. SEED,.. >> rows.jsonl
// The rate is that of the zoo's cell, chosen with the default start. Needs `npm run build`.
import { readFileSync } from "node:fs";
import { lastAnswers, zooConfig } from "../../dist/experiments/zoo/config.js";
import { columns, rows, settings } from "../../dist/experiments/zoo/data.js";
import { thisMachine } from "../../dist/src/app/doctor/machine.js";
import { testAbout } from "../../dist/src/app/run/open.js";
import { resolve } from "../../dist/src/app/run/resolve.js";
import { parameterShapes } from "../../dist/src/models/index.js";
import { labCommit } from "../../dist/src/storage/version.js";
import { evaluate } from "../../dist/src/train/evaluate.js";
import { makeTrainer } from "../../dist/src/train/trainer.js";

const starts = {
  fixed: {},
  width: { initialization: "width" },
  source: { initialization: "source" },
  slow: { firstRate: -3 },
  "slow+width": { firstRate: -3, initialization: "width" },
  rateMax2: { rateMax: 2 }, // of RWKV-7: no start
};
const { laptop } = settings;
const { cells } = JSON.parse(readFileSync(new URL("../zoo/laptop-cells.json", import.meta.url), "utf8"));
const { processor, cores } = thisMachine();
const where = { commit: labCommit(), machine: `${processor}, ${cores} cores` };
const [rowNames, columnNames, startNames, seeds] = process.argv.slice(2).map((each) => each.split(","));
for (const row of rowNames)
  for (const column of columnNames)
    for (const start of startNames)
      for (const seed of seeds.map(Number)) {
        const { rate } = cells.find((cell) => cell.row === row && cell.column === column);
        const planned = zooConfig(laptop, rows[row], columns[column], { seed, rate });
        const config = { ...planned, model: { ...planned.model, ...starts[start] } };
        const began = process.cpuUsage();
        const setup = await resolve(config, "measure");
        const trainer = makeTrainer(setup, setup);
        for await (const _ of trainer.steps());
        await trainer.read();
        const weights = { tree: parameterShapes(trainer.model), data: trainer.parameters };
        const run = { ...setup, config, trained: trainer.trained(), data: trainer.data };
        const shares = [];
        for (const change of lastAnswers(laptop.lengths)) {
          const test = testAbout(run, change, laptop.programs);
          const { accuracyLast } = await evaluate(trainer.model, weights, test, setup.runtime);
          shares.push(accuracyLast);
        }
        await trainer.release();
        const { user, system } = process.cpuUsage(began);
        const [trained, longer] = shares;
        const cpuSeconds = Math.round((user + system) / 1e4) / 100;
        console.log(JSON.stringify({ row, column, start, seed, rate, trained, longer, cpuSeconds, ...where }));
      }
