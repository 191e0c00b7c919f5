/** @file Every world, by name. To add one: write its file, its test, and one line here. */

import { apiWorlds } from "./api.ts";
import { reading } from "./document-reading.ts";
import { knapsack } from "./knapsack.ts";
import { lock } from "./lock.ts";
import { refactor } from "./refactor.ts";
import { reveals } from "./reveals.ts";

export const environments = {
  knapsack,
  lock,
  refactor,
  reveals,
  reading,
  "api-session": apiWorlds.session.world,
  "api-tensors": apiWorlds.tensors.world,
  "api-files": apiWorlds.files.world,
};
