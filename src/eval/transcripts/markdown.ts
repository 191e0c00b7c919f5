/**
 * @file Transcripts in plain Markdown: a heading, a bold word or a label with a colon names the speaker.
 *
 *     ## User                     **User:** What is in x?            Human: ...
 *     ## Assistant                **Assistant:** x = 3               AI: ...
 *     ### Tool: bash              **Tool (bash):** ...               Action: bash[ls]      Observation: ...
 *
 * Labels inside of code blocks are code. Text before the first label belongs to the user.
 */

import type { TranscriptReader } from "./message.ts";
import { type Message, makeTranscript } from "./message.ts";

const speakers: Readonly<Record<string, Message["role"] | "called">> = {
  ...{ system: "asked", user: "asked", human: "asked", developer: "asked", question: "asked" },
  ...{ assistant: "said", ai: "said", model: "said", agent: "said", thought: "said" },
  ...{ tool: "answered", function: "answered", observation: "answered", "tool result": "answered" },
  ...{ action: "called", "tool call": "called" },
};
const WHO = Object.keys(speakers)
  .toSorted((a, b) => b.length - a.length)
  .join("|");
const DETAIL = "(?:\\s*[(:\\u00b7-]?\\s*`?([\\w.-]+)`?\\)?)?";
const HEADING = new RegExp(`^#{1,6}\\s+[*_]*(${WHO})[*_]*${DETAIL}[*_]*:?\\s*$`, "i");
const BOLD = new RegExp(
  `^(?:\\*\\*|__)(${WHO})(?:\\s*\\(\`?([\\w.-]+)\`?\\))?:?(?:\\*\\*|__):?\\s*(.*)$`,
  "i",
);
const PLAIN = new RegExp(`^(${WHO})(?:\\s*\\(\`?([\\w.-]+)\`?\\))?:(?:\\s+(.*)|)$`, "i");

export const markdown: TranscriptReader = {
  summary: "Markdown with speakers as headings or first words",
  read(text) {
    const messages = messagesOf(text);
    return messages.some(({ role }) => role === "said")
      ? [{ transcript: makeTranscript("markdown", "", messages) }]
      : undefined;
  },
};

function messagesOf(text: string): Message[] {
  const found: { who: Message["role"] | "called"; tool: string | undefined; lines: string[] }[] = [
    { who: "asked", tool: undefined, lines: [] },
  ];
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const label = fence === undefined ? labelOf(line) : undefined;
    const mark = /^\s*(`{3,}|~{3,})/.exec(label?.rest ?? line)?.[1]; // a block may begin after a label
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
    if (label === undefined)
      found.at(-1)!.lines.push(line); // there is always one
    else
      found.push({
        who: speakers[label.who.toLowerCase()],
        tool: label.tool,
        lines: label.rest === "" ? [] : [label.rest],
      });
  }
  return found.flatMap(({ who, tool, lines }): Message[] => {
    const said = lines.join("\n").trim();
    if (said === "" && tool === undefined) return [];
    if (who !== "called") return [{ role: who, text: said, ...(tool !== undefined && { tool }) }];
    const [, name = tool ?? "action", given = said] =
      /^`?([\w.-]+)`?\s*[[({]([\s\S]*)[\])}]`?$/.exec(said) ?? [];
    return [{ role: "said", text: "", calls: [{ name, arguments: given }] }];
  });
}

function labelOf(line: string): { who: string; tool: string | undefined; rest: string } | undefined {
  const heading = HEADING.exec(line);
  if (heading !== null) return { who: heading[1], tool: heading[2], rest: "" };
  const match = BOLD.exec(line) ?? PLAIN.exec(line);
  return match === null ? undefined : { who: match[1], tool: match[2], rest: match[3] ?? "" };
}
