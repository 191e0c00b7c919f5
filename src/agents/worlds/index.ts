/** @file Every world, by name. To add one: write its file, its test, and one line here. */

import { knapsack } from "./knapsack.ts";
import { lock } from "./lock.ts";
import { refactor } from "./refactor.ts";

export const worlds = { knapsack, lock, refactor };
