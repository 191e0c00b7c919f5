/** @file The last W turns, and nothing of those before. */

import { z } from "zod";
import { asMessages } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({ turns: z.int().min(0).default(4) });

export const window: View<z.infer<typeof Params>> = {
  name: "window",
  summary: "the last W turns (window.turns)",
  params: Params,
  show: (history, { turns }) =>
    history.slice(Math.max(0, history.length - turns)).flatMap((turn) => asMessages(turn, turn.end.output)),
};
