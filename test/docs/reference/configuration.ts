/** @file docs/reference/configuration.md: every key of a training configuration and of a search space, from the schemas. */

import { describedKeys } from "../../../src/schemas/described-keys.ts";
import { RunConfig } from "../../../src/schemas/run-config.ts";
import { SearchSpace } from "../../../src/schemas/search-space.ts";
import { SimulationPlan } from "../../../src/schemas/simulation-plan.ts";
import { policies as samplers } from "../../../src/train/mixture/samplers/index.ts";
import { objectives } from "../../../src/train/objectives/index.ts";
import { optimizers } from "../../../src/train/optimizers/index.ts";
import { page } from "../docs.test-helper.ts";
import { code, generated, keyTable, table } from "./markdown.ts";

const keys = describedKeys(RunConfig);
const names = (registry: object) => Object.keys(registry).map(code).join(", ");

const parts = [
  ["Training", "train."],
  ["Curriculum", "curriculum."],
  ["State supervision", "stateSupervision."],
  ["Training data", "data."],
  ["Evaluation", "evaluate."],
] as const;

export const configurationPage = () =>
  generated(
    "Configuration keys",
    "A training configuration is a YAML file for `statelab train` and `statelab sweep`. Each key can be changed on the command line with `--set KEY=VALUE`, and `statelab list keys` prints these tables. A wrong key or value is refused, with its name and what is allowed.",
    `An example is [deltanet.yaml](../../examples/deltanet.yaml):`,
    `\`\`\`yaml\n${page("examples/deltanet.yaml").trimEnd()}\n\`\`\``,
    "Parameters of tasks are in [tasks](tasks.md), fields of models in [models](models.md). N is an index, from 0.",
    "## General",
    keyTable(keys.filter(({ name }) => !parts.some(([, prefix]) => name.startsWith(prefix)))),
    ...parts.flatMap(([title, prefix]) => [
      `## ${title}`,
      keyTable(keys.filter(({ name }) => name.startsWith(prefix))),
    ]),
    "## Objectives",
    "A loss is a name for `train.loss`. A signal is a name for `objective`. A part is a name for `data.mixture.parts.N.objective`. [Training signals](../concepts/training-signals.md) explains them.",
    table(
      ["name", "use"],
      Object.entries(objectives).map(([name, forms]) => [code(name), Object.keys(forms).join(", ")]),
    ),
    `Optimizers: ${names(optimizers)}. Samplers of a mixture: ${names(samplers)}.`,
    "## Search space",
    "`statelab sweep CONFIG.yaml --search FILE` draws configurations from the space in FILE. [Sweep](../how-to/sweep.md) explains the method.",
    keyTable(describedKeys(SearchSpace)),
    "Each entry of `space` is a list of values, named values, or a range with these keys: `from`, `to`, `scale` (linear or log) and `whole` (integers only).",
    "## Simulation plan",
    "`statelab cluster simulate PLAN.yaml` reads this file. Times are in seconds, each a number or a distribution.",
    keyTable(describedKeys(SimulationPlan)),
  );
