/**
 * @file The first line of a reply that departs from the truth: its claims about variables, compared with the program.
 *
 *     prompt     a, b = 1, 2      reply    a, b = 1, 2
 *                a, b = b, a               a, b = b, a
 *                b, a = a, b               # a=2 b=1
 *                                          b, a = a, b
 *                                          # a=1 b=2         line 5: a = 1 is said, it is 2
 *
 * It is known if the program of the prompt only moves values between variables: lines like those above, and prints. In a
 * reply of one turn the lines of the program are between the claims; of several turns each claims the state after its line.
 */

export interface Departure {
  /** Line of the reply, from 1; with several replies, the number of the reply. */
  readonly line: number;
  readonly kind: "state" | "command";
  readonly said: string;
  readonly truth: string;
}

/** `truth`: the values after each line of the reply, or after each reply, as far as it follows the program. */
export type Followed =
  | {
      readonly kind: "departs";
      readonly departure: Departure;
      readonly claims: number;
      readonly truth: readonly Values[];
    }
  | { readonly kind: "agrees"; readonly claims: number; readonly truth: readonly Values[] }
  /** The program is not of this kind, or the reply claims no state. */
  | { readonly kind: "unknown" };

export type Values = ReadonlyMap<string, string>;

const ASSIGNMENT = /^(?:>>> )?([a-z_]\w*(?:, [a-z_]\w*)*) = ([^=].*)$/i;
const PART = /^(?:[a-z_]\w*|-?\d+)$/i;
const CLAIM = /\b([a-z_]\w*)\s*[=:]\s*(-?\d+)\b/gi;

export function firstDeparture(prompt: string, replies: readonly string[]): Followed {
  const program = programIn(prompt);
  if (program === undefined) return { kind: "unknown" };
  const states = statesOf(program);
  if (states === undefined) return { kind: "unknown" };
  return replies.length === 1 ? inOneReply(replies[0], program, states) : byTurns(replies, states);
}

/** The lines of the last program of a prompt that set variables; the claims between them, those of earlier turns, left out. */
export function programIn(prompt: string): readonly string[] | undefined {
  const block = [...prompt.matchAll(/\[PYTHON\]\n([\s\S]*?)\n?\[\/PYTHON\]/g)].at(-1)?.[1];
  const text =
    block ??
    prompt
      .replace(/\n*\[ANSWER\]\s*$/, "")
      .split(/\n\n+/)
      .at(-1)!; // split gives one at least
  const lines = text.split("\n").map((line) => line.trim());
  const program = lines.filter((line) => ASSIGNMENT.test(line));
  const isOther = (line: string) =>
    line !== "" && !line.startsWith("#") && !/^(>>> )?print\(/.test(line) && !/^[a-z_]\w* -?\d*$/i.test(line);
  const others = lines.filter((line) => !ASSIGNMENT.test(line) && isOther(line));
  return program.length < 2 || others.length > 0 ? undefined : program;
}

/** The values after each line; undefined where a line is no exchange of values. */
function statesOf(program: readonly string[]): Values[] | undefined {
  const states: Values[] = [];
  let held: Values = new Map();
  for (const line of program) {
    const [, left = "", right = ""] = ASSIGNMENT.exec(line) ?? [];
    const [targets, parts] = [left.split(", "), right.split(/,\s*/)];
    if (targets.length !== parts.length || !parts.every((part) => PART.test(part))) return undefined;
    const values = parts.map((part) => (/^-?\d+$/.test(part) ? part : held.get(part)));
    if (values.includes(undefined)) return undefined;
    held = new Map([...held, ...targets.map((name, i) => [name, values[i]!] as const)]); // none is undefined
    states.push(held);
  }
  return states;
}

const isClaim = (line: string, states: readonly Values[]) =>
  [...line.matchAll(CLAIM)].some(([, name]) => states.some((state) => state.has(name)));

/** The first claimed variable with another value. */
function wrongClaim(line: string, truth: Values | undefined): Omit<Departure, "line"> | undefined {
  for (const [, name, value] of line.matchAll(CLAIM)) {
    const right = truth?.get(name);
    if (right !== undefined && right !== value)
      return { kind: "state", said: `${name} = ${value}`, truth: `${name} = ${right}` };
  }
  return undefined;
}

const bare = (line: string) => line.replace(/^>>> /, "").replaceAll(/\s+/g, "");

function inOneReply(reply: string, program: readonly string[], states: readonly Values[]): Followed {
  let written = -1;
  let claims = 0;
  let departure: Departure | undefined;
  const truth: Values[] = [];
  const last = reply.search(/\[ANSWER\]|\[\/THOUGHT\]/);
  for (const [i, full] of (last < 0 ? reply : reply.slice(0, last)).split("\n").entries()) {
    const line = full.trim();
    // `# a=1 b=2` is a claim, and so is `a = 1` after the first lines if it is not a line of the program.
    const isNext = bare(line) === bare(program[written + 1] ?? "");
    if (isNext || (ASSIGNMENT.test(line) && line.includes(","))) {
      const beganLater = written < 0 && !isNext && bare(line) === bare(program[1]); // the first line was left out
      written += beganLater ? 2 : 1;
      const next = program[written];
      if (next === undefined || bare(next) !== bare(line)) {
        const command = { kind: "command", said: line, truth: next ?? "the program has ended" } as const;
        departure ??= { line: i + 1, ...command };
        break;
      }
    } else if (isClaim(line, states)) {
      const wrong = wrongClaim(line, states[written]);
      if (departure === undefined) claims++;
      if (wrong !== undefined) departure ??= { line: i + 1, ...wrong };
    }
    truth.push((line !== "" && states[written]) || new Map());
  }
  return followed(departure, claims, truth);
}

function followed(departure: Departure | undefined, claims: number, truth: readonly Values[]): Followed {
  if (departure !== undefined) return { kind: "departs", departure, claims, truth };
  return claims === 0 ? { kind: "unknown" } : { kind: "agrees", claims, truth };
}

/** The first line of the program precedes the first turn. */
function byTurns(replies: readonly string[], states: readonly Values[]): Followed {
  let claims = 0;
  let departure: Departure | undefined;
  for (const [turn, reply] of replies.entries()) {
    const line = reply.split("\n").find((each) => isClaim(each, states));
    if (line === undefined || departure !== undefined) continue;
    claims++;
    const wrong = wrongClaim(line, states[turn + 1]);
    if (wrong !== undefined) departure = { line: turn + 1, ...wrong };
  }
  return followed(departure, claims, states.slice(1));
}

/** The function of a prompt and its call, for the view Trace; undefined where there is none. */
export function tracedProgram(prompt: string): string | undefined {
  const block = [...prompt.matchAll(/\[PYTHON\]\n([\s\S]*?)\n?\[\/PYTHON\]/g)].at(-1)?.[1];
  const [, source, call] = /^([\s\S]*\n)assert (.+) == \?\?\s*$/.exec(block ?? "") ?? [];
  return source === undefined || !/^\s*(?:async )?def /m.test(source) ? undefined : `${source}\n${call}\n`;
}
