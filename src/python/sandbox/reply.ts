/** @file What an interpreter says at the end of a request: a line of JSON about the end, and the value below it. */

import { z } from "zod";
import { type HostName, type Outcome, stops } from "./host.ts";
import { judge } from "./verdict.ts";

const Header = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("done"),
    python: z.object({
      version: z.string(),
      wordBits: z.union([z.literal(32), z.literal(64)]),
      implementation: z.string(),
    }),
    output: z.string().default(""),
  }),
  z.object({ kind: z.enum(stops), words: z.string() }),
]);

export interface Answered {
  readonly body: Buffer;
  /** What the program is judged by, where it is. */
  readonly plan: string | undefined;
  readonly host: HostName;
  readonly output?: string;
}

/** The program could have had a hand in what its interpreter says, so nothing is taken on trust. */
export function readReply({ body, plan, host, output }: Answered): Outcome {
  try {
    const end = body.indexOf(10);
    const header = Header.parse(JSON.parse(body.toString("utf8", 0, end)));
    if (header.kind !== "done") return { kind: header.kind, words: header.words };
    const { python } = header;
    const outcome: Outcome = {
      kind: "done",
      value: JSON.parse(body.toString("utf8", end + 1)),
      output: output ?? header.output,
      python: { ...python, host },
    };
    return plan === undefined ? outcome : judge(plan, outcome);
  } catch {
    return { kind: "forged", words: "the interpreter's answer is not of the lab's form" };
  }
}
