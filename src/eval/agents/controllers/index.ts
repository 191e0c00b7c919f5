/** @file Every control, by name. To add one: write its file, its test, and one line here. */

import { checkRetry } from "./check-retry.ts";
import { free } from "./controller.ts";
import { machine } from "./machine.ts";

export const controls = { free, "check-retry": checkRetry, machine };
