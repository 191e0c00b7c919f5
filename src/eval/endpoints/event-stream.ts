/**
 * @file A reply that comes in pieces, put together to what the server would have sent as a whole, and when its first token came.
 *
 *     data: {"choices":[{"delta":{"content":"4"}}]}          server-sent events, up to [DONE]; of Ollama one JSON a line
 *     data: {"choices":[{"delta":{"content":"2"},"finish_reason":"stop"}]}
 *     data: [DONE]
 *       = {"choices":[{"message":{"content":"42"},"finish_reason":"stop"}]}
 *
 * The time of a piece is when its last byte came. Reasoning counts as tokens: the first one may be a thought.
 */

import { errorInReply } from "./api-errors.ts";
import { type Trouble, trouble } from "./endpoint.ts";

/** The body had this many bytes after this many seconds; both ascend. */
export interface Arrival {
  readonly bytes: number;
  readonly seconds: number;
}

export interface Assembled {
  readonly kind: "assembled";
  readonly json: unknown;
  /** Seconds; undefined if no event had a token. */
  readonly firstTokenSeconds: number | undefined;
}

type Fields = Record<string, unknown>;

interface Event {
  readonly name?: string;
  readonly data: string;
  /** Characters of the body up to its end. */
  readonly end: number;
}

/** JSON; numbers that JSON does not have are taken among log-probabilities, which are not read. @throws SyntaxError */
export function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mark = "\0";
    const marked = text.replaceAll(
      /("(?:\\.|[^"\\])*")|-?Infinity\b|NaN\b/g,
      (_, string?: string) => string ?? `"\\u0000"`,
    );
    if (marked === text) throw error;
    let isElsewhere = false;
    const json: unknown = JSON.parse(marked, (key, value) => (/logprobs?$/.test(key) ? null : value));
    JSON.stringify(json, (_, value) => {
      isElsewhere ||= value === mark;
      return value;
    });
    if (isElsewhere) throw error;
    return json;
  }
}

/** Whether the body is a stream: servers may answer a streaming request with a complete reply. */
export function isStreamed(text: string): boolean {
  const start = text.trimStart();
  return /^(?:data|event|id|retry)?:/.test(start) || /^\{[^\n]*\}\s*\n\s*\{/.test(start);
}

export function assembled(text: string, arrivals: readonly Arrival[]): Assembled | Trouble {
  const lines = text.trimStart().startsWith("{");
  const events = [...(lines ? jsonLines(text) : serverSentEvents(text))];
  const pieces: Fields[] = [];
  let done = false;
  let first: number | undefined;
  for (const [i, { data, end, name }] of events.entries()) {
    if (data.trim() === "[DONE]") {
      done = true;
      break;
    }
    let piece: unknown;
    try {
      piece = parseReply(data);
    } catch {
      if (name === "error") return { kind: "assembled", json: { error: data }, firstTokenSeconds: undefined };
      const cut = i === events.length - 1;
      return trouble(
        cut ? "truncated" : "not-json",
        `a piece of the stream that ${cut ? "ends early" : "is no JSON"}`,
      );
    }
    if (!isFields(piece)) return trouble("wrong-form", "a piece of the stream that is no object");
    if (name === "error" || errorInReply(piece) !== undefined)
      return {
        ...{ kind: "assembled", firstTokenSeconds: undefined },
        json: errorInReply(piece) === undefined ? { error: piece } : piece,
      };
    pieces.push(piece);
    if (first === undefined && holdsToken(piece)) first = end;
  }
  const json = lines ? wholeOllama(pieces) : wholeChoices(pieces);
  if (!done && !ended(json))
    return trouble("truncated", `a stream of ${pieces.length} pieces without an end`);
  const at = first === undefined ? undefined : new TextEncoder().encode(text.slice(0, first)).length;
  const arrival = at === undefined ? undefined : arrivals.find(({ bytes }) => bytes >= at);
  return { kind: "assembled", json, firstTokenSeconds: arrival?.seconds };
}

function* serverSentEvents(text: string): Generator<Event> {
  let data: string[] = [];
  let name = "";
  let at = 0;
  for (const line of text.split(/(?<=\r\n|\n|\r(?!\n))/)) {
    at += line.length;
    const content = line.replace(/[\r\n]+$/, "");
    if (content === "" && data.length > 0) yield { name, data: data.join("\n"), end: at };
    if (content === "") [data, name] = [[], ""];
    if (content.startsWith("event:")) name = content.slice("event:".length).trim();
    if (content.startsWith("data:")) data.push(content.slice("data:".length).replace(/^ /, ""));
  }
  if (data.length > 0) yield { name, data: data.join("\n"), end: text.length };
}

function* jsonLines(text: string): Generator<Event> {
  let at = 0;
  for (const line of text.split("\n")) {
    at += line.length + 1;
    if (line.trim() !== "") yield { data: line, end: Math.min(at, text.length) };
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const choicesOf = ({ choices }: Fields): Fields[] => (Array.isArray(choices) ? choices.filter(isFields) : []);
/** The delta of a chat choice; a completion has its text in the choice itself. */
const deltaOf = (choice: Fields): Fields =>
  [choice.delta, choice.message].find(isFields) ?? { text: choice.text, reasoning: choice.reasoning };
const spoken = ["content", "text", "reasoning", "reasoning_content", "thinking", "refusal"] as const;

function holdsToken(piece: Fields): boolean {
  const deltas = [...choicesOf(piece).map(deltaOf), ...(isFields(piece.message) ? [piece.message] : [])];
  return deltas.some((delta) => spoken.some((name) => typeof delta[name] === "string" && delta[name] !== ""));
}

/** Appends the texts of a delta; tool calls and other values are kept unchanged. */
function added(before: Fields, delta: Fields): Fields {
  const after = { ...before };
  for (const [name, value] of Object.entries(delta)) {
    const known = after[name];
    if (typeof value === "string" && name !== "role")
      after[name] = typeof known === "string" ? known + value : value;
    else if (Array.isArray(value)) after[name] = [...(Array.isArray(known) ? known : []), ...value];
    else if (value !== null && value !== undefined) after[name] = value;
  }
  return after;
}

function wholeChoices(pieces: readonly Fields[]): Fields {
  const choices = new Map<unknown, Fields>();
  const whole: Fields = {};
  for (const piece of pieces) {
    if (piece.usage !== undefined && piece.usage !== null) whole.usage = piece.usage;
    if (typeof piece.model === "string") whole.model = piece.model;
    for (const choice of choicesOf(piece)) {
      const index = choice.index ?? 0;
      const before = choices.get(index) ?? { index, message: {} };
      const message = added(before.message as Fields, deltaOf(choice)); // an object from the start
      const finish = choice.finish_reason ?? before.finish_reason;
      choices.set(index, { ...before, message, finish_reason: finish, error: choice.error ?? before.error });
    }
  }
  // Serves both readers: completions read the text of the choice, chats the message.
  whole.choices = [...choices.values()].map((choice) => ({ ...choice, ...(choice.message as Fields) }));
  return whole;
}

/** The last piece has the counts; the message is in all of them. */
function wholeOllama(pieces: readonly Fields[]): Fields {
  const message = pieces.reduce<Fields>(
    (sum, piece) => (isFields(piece.message) ? added(sum, piece.message) : sum),
    {},
  );
  return { ...pieces.at(-1), message };
}

function ended(whole: Fields): boolean {
  if (whole.done === true) return true;
  const choices = choicesOf(whole);
  return choices.length > 0 && choices.every(({ finish_reason }) => typeof finish_reason === "string");
}
