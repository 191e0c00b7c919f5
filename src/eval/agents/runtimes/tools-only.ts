/**
 * @file No interpreter: a reply is calls of tools, one a line, and what they give is text. A call is written as in Python, with literals, by
 * place or by the parameters' names, or as JSON.
 *
 *     inspect("item_3f")        {"weight": 12, ...}        is printed
 *     inspect(item='item_3f')   {"name": "inspect", "arguments": {"item": "item_3f"}}        the same
 *     # note: C is allowed      a comment: nothing
 *     x = inspect("item_3f")    no call: a SyntaxError
 */

import { z } from "zod";
import { readLiteral, stringText } from "../../../python/values/literal.ts";
import { isDictionary, isFloat, isSequence, type Value } from "../../../python/values/value.ts";
import type { CellEnd, Json, ToolCall } from "../../../schemas/agents.ts";
import { callParts, closedLines, parts } from "../../scoring/source-text.ts";
import type { Tool } from "../environment.ts";
import type { Runtime } from "./runtime.ts";

export const calls: Runtime = {
  name: "calls",
  summary: "no interpreter; replies are tool calls",
  params: z.strictObject({}),
  python: false,
  open: (tools) => ({
    async run(reply, act) {
      let output = "";
      for (const text of statementsOf(reply)) {
        const call = callIn(text, tools);
        if (call === undefined) {
          const forms = tools.map(({ name, parameters }) => `${name}(${parameters.join(", ")})`).join(", ");
          const message = `no call of a tool with literals: ${text}. Write calls alone, one a line: ${forms}`;
          return ended("syntax", "SyntaxError", message, output);
        }
        const answer = act(call);
        if ("error" in answer) return ended("raised", answer.error, answer.message, output);
        output += `${JSON.stringify(answer.value)}\n`;
      }
      return ended("finished", "", "", output);
    },
    async close() {},
  }),
};

/** The calls of a reply as they are written: lines, up to where their brackets close, or the objects of JSON. */
function statementsOf(reply: string): string[] {
  const marked = [...reply.matchAll(/<tool_call>([\s\S]*?)<\/tool_call>/g)].map(([, inside]) =>
    inside.trim(),
  );
  if (marked.length > 0) return marked;
  const whole = jsonIn(reply);
  if (Array.isArray(whole)) return whole.map((each) => JSON.stringify(each));
  if (whole !== undefined) return [reply.trim()];
  const statements: string[] = [];
  for (let at = 0; at < reply.length; ) {
    const text = closedLines(reply, at);
    at += text.length + 1;
    const own = jsonIn(text) === undefined ? parts(text, ";") : [text];
    statements.push(...own.map((each) => each.trim()).filter((each) => !/^(#|$)/.test(each)));
  }
  return statements;
}

/** The call that a text is, its arguments in the order of the tool's parameters, or undefined. */
export function callIn(text: string, tools: readonly Tool[] = []): ToolCall | undefined {
  const json = jsonIn(text);
  if (json !== undefined) return callOfJson(json, tools);
  const call = callParts(text);
  if (call === undefined) return undefined;
  const given = parts(call.input, ",");
  if (withoutComments(given.at(-1) ?? "") === "") given.pop(); // no argument, or a trailing comma
  const places: Json[] = [];
  const named: Record<string, Json> = {};
  for (const argument of given) {
    const [first, second, ...more] = parts(argument, "=");
    const value = valueIn(second ?? first);
    const name = withoutComments(first);
    const isPlace = second === undefined && Object.keys(named).length === 0;
    if (value === undefined || more.length > 0 || Object.hasOwn(named, name)) return undefined;
    if (isPlace) places.push(value);
    else if (second === undefined) return undefined;
    else named[name] = value;
  }
  return inPlaces(call.name, places, named, tools);
}

const withoutComments = (text: string) => text.replaceAll(/^\s*#[^\n]*/gm, "").trim();

/** `{"name", "arguments"}` and what servers of tools write in its place. */
function callOfJson(json: Json, tools: readonly Tool[]): ToolCall | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const { function: inside } = json;
  if (typeof inside === "object" && inside !== null) return callOfJson(inside, tools);
  const name = json.name ?? json.tool ?? inside;
  const given = json.arguments ?? json.parameters ?? json.args ?? json.input ?? [];
  const values = typeof given === "string" ? jsonIn(given) : given;
  if (typeof name !== "string" || typeof values !== "object" || values === null) return undefined;
  return Array.isArray(values) ? { name, arguments: values } : inPlaces(name, [], values, tools);
}

/** undefined if a name is not a parameter, or a parameter before it is missing. */
function inPlaces(
  name: string,
  places: readonly Json[],
  named: Readonly<Record<string, Json>>,
  tools: readonly Tool[],
): ToolCall | undefined {
  const rest = tools.find((each) => each.name === name)?.parameters.slice(places.length) ?? [];
  const count = Object.keys(named).length;
  const values = rest
    .slice(0, count)
    .map((parameter) => (Object.hasOwn(named, parameter) ? named[parameter] : undefined));
  const known = values.filter((value) => value !== undefined);
  return known.length === count ? { name, arguments: [...places, ...known] } : undefined;
}

/** An object or a list of JSON. */
function jsonIn(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A literal of Python, or a value of JSON. */
function valueIn(text: string): Json | undefined {
  const literal = readLiteral(text.trim());
  if (literal !== undefined) return jsonOf(literal);
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The value as JSON; undefined if json.dumps would refuse it. */
function jsonOf(value: Value): Json | undefined {
  const text = stringText(value);
  if (text !== undefined) return text;
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "bigint" || isFloat(value)) {
    const number = Number(typeof value === "bigint" ? value : value.float);
    return Number.isFinite(number) ? number : undefined;
  }
  if (isDictionary(value)) {
    const entries = value.entries.map(([key, item]) => [stringText(key), jsonOf(item)]);
    return entries.flat().every((each) => each !== undefined) ? Object.fromEntries(entries) : undefined;
  }
  if (!isSequence(value) || !["list", "tuple"].includes(value.kind)) return undefined;
  const items = value.items.map(jsonOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

const ended = (end: CellEnd["end"], exception: string, message: string, output: string): CellEnd => ({
  ...{ end, exception, message, output },
  ...{ characters: output.length, names: [] },
});
