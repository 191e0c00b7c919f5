/** @file All turns, with all that was printed. */

import { z } from "zod";
import { asMessages } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({});

export const full: View<z.infer<typeof Params>> = {
  name: "full",
  summary: "all turns",
  params: Params,
  show: (history) => history.flatMap((turn) => asMessages(turn, turn.end.output)),
};
