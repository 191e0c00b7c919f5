/** @file Kinds of work that this room carries out itself. Of the others their own rooms bring the carriers: cli/carriers.ts has all. */

import { feed } from "../feed/carrier.ts";
import { run } from "../run/carrier.ts";
import { trace } from "../trace/share.ts";
import { probe } from "./probe.ts";

export const ownCarriers = { run, trace, feed, probe } as const;
