/**
 * @file A debugging session as a state machine: a command and a session give a reply and the session after it. No input, no output:
 * a terminal, a page or a model drives it.
 *
 *     const session = openSession(openRecording(record));
 *     execute(session, "next")     { session, reply: { kind: "stop", moment: 8, line: 3, ... } }
 *
 * Commands have the names that they have in Python's `pdb`; those that go back are ours (commands.ts).
 */

import { nearest } from "../../core/did-you-mean.ts";
import { commands } from "./commands.ts";
import type { Executed, Session } from "./session.ts";

/** Carries out one command. A mistake is a reply of kind `refused`, and nothing is lost. */
export function execute(session: Session, line: string): Executed {
  const [, word, argument] = /^\s*([A-Za-z-]+|[?!])?\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  const refuse = (words: string): Executed => ({ session, reply: { kind: "refused", words } });
  if (word === undefined)
    return refuse(`expected a command, got ${line.trim().slice(0, 40) || "nothing"}; help lists them`);
  const name = word.toLowerCase();
  const command = commands.find((each) => each.name === name || each.also.includes(name));
  if (command === undefined) {
    const close = nearest(
      name,
      commands.map((each) => each.name),
    );
    return refuse(
      `no command ${name}; ${close === undefined ? "help lists them" : `did you mean ${close}?`}`,
    );
  }
  return command.run(session, argument);
}

/** The commands of a line or a file: separated by `;` (pdb's `;;` too) or line ends outside of quotes and brackets; `#` begins a comment. */
export function commandsIn(text: string): string[] {
  const found: string[] = [];
  let [depth, quote, start] = [0, "", 0];
  const end = (at: number, next: number) => {
    const command = text.slice(start, at).trim();
    if (command !== "") found.push(command);
    start = next;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") {
      [depth, quote] = [0, ""];
      end(at, at + 1);
    } else if (quote !== "") {
      if (character === "\\") at++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "#") {
      const line = text.indexOf("\n", at);
      const next = line === -1 ? text.length : line;
      end(at, next);
      at = next - 1;
    } else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (character === ";" && depth <= 0) end(at, at + 1);
  }
  end(text.length, text.length);
  return found;
}
