/** @file Every runtime, by name. To add one: write its file, its test, and one line here. */

import { calls } from "./calls.ts";
import { persistent } from "./persistent.ts";
import { stateless } from "./stateless.ts";

export const runtimes = { persistent, stateless, calls };
