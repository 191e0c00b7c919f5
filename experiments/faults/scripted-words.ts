/**
 * @file What a scripted policy says, in the words and files that models and harnesses write: prose, tables, comments, calls; five kinds of file.
 *
 *     Line 5, 2nd time: a = 0x10, and b is now 3. Is c = 9?          prose, with values in other forms and a question that claims nothing
 *
 * Each saying is one step, so that a step of the file is known for each.
 */

import type { Rng } from "../../src/math/rng.ts";
import type { Program, State } from "./scripted-program.ts";
import type { Saying } from "./scripted-run.ts";

export const styles = ["prose", "list", "table", "call", "comments", "order"] as const;
export type Style = (typeof styles)[number];
export const files = ["openai", "exchange", "inspect", "markdown", "react"] as const;
export type FileKind = (typeof files)[number];

/** Styles that name no place need a word after each visit. */
export const isGapless = (style: Style) => style === "comments" || style === "order";

export function transcriptText(
  program: Program,
  sayings: readonly Saying[],
  style: Style,
  file: FileKind,
  rng: Rng,
): string {
  const question = `What does f() give?\n\n${program.source}`;
  const kept = style === "call" && file !== "openai" && file !== "inspect" ? "list" : style;
  const said =
    kept === "table"
      ? [table(program, sayings)]
      : sayings.map((each, i) => words(program, each, kept, rng.fork(i)));
  const looks = rng.fork("looks").next() < 0.5;
  switch (file) {
    case "openai":
    case "exchange": {
      const messages = [
        { role: "system", content: "Answer in steps." },
        { role: "user", content: question },
        ...(looks ? openaiCall("read_file", { path: "f.py" }) : []),
        ...(kept === "call"
          ? said.flatMap((text) => openaiCall("report_state", JSON.parse(text) as object))
          : said.map((content) => ({ role: "assistant", content }))),
      ];
      if (file === "openai") return JSON.stringify(messages);
      const last = messages.at(-1)!; // there is a question
      return JSON.stringify({ messages: messages.slice(0, -1), choices: [{ index: 0, message: last }] });
    }
    case "inspect": {
      const call = (name: string, given: unknown) => [
        { role: "assistant", content: "", tool_calls: [{ id: "c", function: name, arguments: given }] },
        { role: "tool", content: "ok", function: name, tool_call_id: "c" },
      ];
      const messages = [
        { role: "user", content: question },
        ...(looks ? call("bash", { cmd: "cat f.py | head" }) : []),
        ...(kept === "call"
          ? said.flatMap((text) => call("report_state", JSON.parse(text)))
          : said.map((text) => ({ role: "assistant", content: [{ type: "text", text }] }))),
      ];
      return JSON.stringify({
        version: 2,
        status: "success",
        eval: { task: "t" },
        samples: [{ id: 1, epoch: 1, messages }],
      });
    }
    case "markdown":
      return ["## User", question, ...said.flatMap((text) => ["## Assistant", text])].join("\n\n");
    case "react":
      return [
        `Question: ${question}`,
        "Action: read_file[f.py]",
        "Observation: as above",
        ...said.map((text) => `Thought: ${text}`),
      ].join("\n");
    default:
      return file satisfies never;
  }
}

const openaiCall = (name: string, given: object) => [
  {
    ...{ role: "assistant", content: null as string | null },
    tool_calls: [{ id: "c", type: "function", function: { name, arguments: JSON.stringify(given) } }],
  },
  { role: "tool", content: "ok" },
];

function words(
  { visits }: Program,
  { visit, claims }: Saying,
  style: Exclude<Style, "table">,
  rng: Rng,
): string {
  const { line, time, text } = visits[visit];
  const pairs = Object.entries(claims);
  switch (style) {
    case "prose": {
      const place = [
        `After line ${line} (time ${time})`,
        `Line ${line}, ${ordinal(time)} time`,
        `Having run line ${line} (the ${ordinal(time)} time)`,
      ][rng.below(3)];
      const all = pairs.map(([name, value], i) =>
        rng.fork(name).next() < 0.5
          ? `\`${name}\` is now ${number(value, rng.fork(i))}`
          : `${name} = ${number(value, rng.fork(i))}`,
      );
      const [aside] = [
        [
          "",
          ` Is ${pairs[0][0]} = ${pairs[0][1] + 3}?`,
          ` If ${pairs[0][0]} = ${pairs[0][1] + 1}, we would have noticed.`,
          " Then on.",
        ][rng.fork("aside").below(4)],
      ];
      return `${place}: ${all.join(", ")}.${aside}`;
    }
    case "list":
      return [
        `**Step ${visit + 1}** (\`${text}\`)`,
        ...pairs.map(([name, value]) => `- ${name}: ${value}`),
      ].join("\n");
    case "call":
      return JSON.stringify({ line, time, state: claims });
    case "comments":
      return `\`\`\`python\n${text}  # ${pairs.map(([name, value]) => `${name} = ${value}`).join("; ")}\n\`\`\``;
    case "order":
      return `# ${pairs.map(([name, value]) => `${name}=${value}`).join(" ")}`;
    default:
      return style satisfies never;
  }
}

function table({ visits }: Program, sayings: readonly Saying[]): string {
  const names = ["a", "b", "c", "i"];
  const rows = sayings.map(({ visit, claims }) => {
    const { line, time } = visits[visit];
    return `| ${[line, time, ...names.map((name) => claims[name] ?? "-")].join(" | ")} |`;
  });
  return [`| line | time | ${names.join(" | ")} |`, `|${"---|".repeat(names.length + 2)}`, ...rows].join(
    "\n",
  );
}

/** As Python reads it, too. */
function number(value: number, rng: Rng): string {
  const forms = [
    String(value),
    `${value}.0`,
    value < 0 ? String(value) : `0x${value.toString(16)}`,
    `(${value})`,
    String(value),
  ];
  return forms[rng.below(forms.length)];
}

const ordinal = (n: number) => `${n}${n === 1 ? "st" : n === 2 ? "nd" : n === 3 ? "rd" : "th"}`;

/** What the policy takes from a replay: the values of the last words that were put there. */
export function stateGiven(content: string): State {
  const last = content.split("\n").at(-1) ?? "";
  return Object.fromEntries(
    [...last.matchAll(/(\w+) = (-?\d+)/g)].map(([, name, value]) => [name, Number(value)]),
  );
}
