/** @file The interface of an MCP tool, and answers cut to the size that its caller allows. */

import { z } from "zod";

/** Arguments of every tool. */
const Page = {
  limit: z
    .int()
    .min(2_000)
    .max(100_000)
    .default(8_000)
    .describe("maximum characters of the answer's text, and of its structured content"),
  offset: z.int().min(0).default(0).describe("the first item: `next` of the previous page"),
};
interface PageArguments {
  readonly limit: number;
  readonly offset: number;
}

/** Fields of an answer with a list. */
const PageEnd = {
  total: z.int().describe("items of the whole list"),
  next: z.int().optional().describe("offset of the next page; absent on the last"),
};

interface Answer {
  readonly structured: Readonly<Record<string, unknown>>;
  /** The text of an answer; of one with a list, the lines above its items. */
  readonly text: string;
  /** The field that is paged, and the text of one of its items. */
  readonly list?: { readonly name: string; readonly lines: readonly string[] };
}

export interface Tool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType<PageArguments>;
  readonly output: z.ZodType;
  /** It writes a recording. */
  readonly writes?: true;
  /** Errors: LabError for a mistake in the arguments or in the program. */
  run(given: unknown, signal: AbortSignal): Promise<Answer>;
}

/** A tool whose arguments are typed by its schema. With `list` its answers are paged. */
export function defineTool<In extends z.ZodRawShape, Out extends z.ZodRawShape>(tool: {
  readonly title: string;
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  readonly isList?: true;
  readonly writes?: true;
  run(given: z.infer<z.ZodObject<In>>, signal: AbortSignal): Promise<Answer>;
}): Tool {
  return {
    ...tool,
    input: z.strictObject({ ...tool.input, ...Page }) as unknown as Tool["input"], // of the shape and the page
    output: z.strictObject({ ...tool.output, ...(tool.isList && PageEnd) }),
    run: (given, signal) => tool.run(given as z.infer<z.ZodObject<In>>, signal), // parsed by `input`
  };
}

/** Shortens long texts and keeps as many items of the list as fit. */
export function fit({ structured, text, list }: Answer, { limit, offset }: PageArguments) {
  const longest = limit / 20;
  if (list === undefined)
    return { text: cut(text, limit), structured: shortened(structured, longest) as Answer["structured"] };
  const { [list.name]: all, ...head } = structured as Record<string, readonly unknown[]>;
  const short = shortened(head, longest) as Answer["structured"];
  const above = cut(text, limit / 4);
  const items: unknown[] = [];
  const lines: string[] = [];
  let left = limit - JSON.stringify(short).length - 100;
  let room = limit - above.length - 100;
  for (const [i, item] of all.slice(offset).entries()) {
    const shown = shortened(item, longest);
    const line = cut(list.lines[offset + i], limit / 4);
    left -= JSON.stringify(shown).length + 1;
    room -= line.length + 1;
    if (items.length > 0 && (left < 0 || room < 0)) break;
    items.push(shown);
    lines.push(line);
  }
  const next = offset + items.length;
  const more = next < all.length ? [`(${all.length - next} more: offset ${next})`] : [];
  return {
    text: [...(above === "" ? [] : [above]), ...lines, ...more].join("\n"),
    structured: { ...short, [list.name]: items, total: all.length, ...(more.length > 0 && { next }) },
  };
}

const cut = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 40)}... (${text.length} characters)`;

function shortened(value: unknown, longest: number): unknown {
  if (typeof value === "string") return cut(value, longest);
  if (Array.isArray(value)) return value.map((each) => shortened(each, longest));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each, longest)]));
}
