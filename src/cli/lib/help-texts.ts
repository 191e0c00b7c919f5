/**
 * @file The text of every `--help`, by its call. The build writes them to `dist/src/cli/help.json`, because loading a command
 * loads all that it runs: up to a second.
 */

import { ANY, helpText } from "./command.ts";
import { allCommands, type CommandTable } from "./dispatch.ts";

/** `{ "data get --help": "statelab data get: ...", "data get --help-all": ... }` */
export async function helpTexts(commands: CommandTable): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, { load }] of Object.entries(allCommands(commands))) {
    const { command } = await load();
    for (const action of [undefined, ...Object.keys(command.actions ?? {})]) {
      if (action === ANY) continue; // any word
      const call = action === undefined ? name : `${name} ${action}`;
      texts[`${call} --help`] = helpText(command, action);
      texts[`${call} --help-all`] = helpText(command, action, true);
    }
  }
  return texts;
}
