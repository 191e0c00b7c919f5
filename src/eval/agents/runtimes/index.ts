/** @file Every runtime, by name. To add one: write its file, its test, and one line here. */

import { persistent, stateless } from "./runtime.ts";
import { calls } from "./tools-only.ts";

export const runtimes = { persistent, stateless, calls };
