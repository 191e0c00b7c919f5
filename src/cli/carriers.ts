/** @file How each kind of work is carried out that an engine may hand to this program. */

import { part } from "../../experiments/engine/carrier.ts";
import { ownCarriers } from "../work/engine/carriers.ts";
import type { Carriers } from "../work/engine/task.ts";
import { ask } from "./ask-share.ts";

export const carriers: Carriers = { ...ownCarriers, ask, part };
