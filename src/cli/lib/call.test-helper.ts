/** @file A command called in this process with arguments as a user types them. */

import { type Command, parseCommandLine } from "./command.ts";
import type { Flags } from "./flags.ts";

export async function call<F extends Flags>(command: Command<F>, ...args: readonly string[]) {
  const { positionals, values, json } = parseCommandLine(command, args);
  const printed: string[] = [];
  const said: string[] = [];
  const code = await command.run({
    ...{ positionals, values, json, signal: new AbortController().signal },
    print: (text) => void printed.push(text),
    say: (text) => void said.push(text),
  });
  return { code, printed: printed.join("\n"), said: said.join("\n") };
}
