/**
 * @file Small Python functions of integers with branches, line by line: printing as words, and parsing.
 *
 *     def f(a, b):
 *         a += 2                  { op: "+=", target: "a", operand: 2 }
 *         if a < 5:               { op: "if", variable: "a", below: 5 }
 *             a, b = b, a         { op: "swap", target: "a", other: "b" }
 *         return a
 *
 * No loops; only the bodies of `if` and `else` may be skipped.
 */

/** A variable's name, a number, or another Python value: `None`, `[]`, `[a]`. */
export type Operand = string | number;

export type Code =
  | { readonly op: "def"; readonly name: string; readonly parameters: readonly string[] }
  | { readonly op: "+=" | "-=" | "%=" | "//=" | "="; readonly target: string; readonly operand: Operand }
  | { readonly op: "swap"; readonly target: string; readonly other: string }
  | { readonly op: "call"; readonly target: string; readonly function: string; readonly argument: string }
  | { readonly op: "if"; readonly variable: string; readonly below: number }
  | { readonly op: "else" }
  | { readonly op: "return"; readonly variable: string };

/** Indentation in units of four spaces. */
export type Line = Code & { readonly indent: number };

/** A line as words, without its indentation. Their concatenation is the line's text. */
export function codePieces(code: Code): string[] {
  switch (code.op) {
    case "def":
      return [definition(code.name, code.parameters), "\n"];
    case "swap":
      return [code.target, ", ", code.other, " = ", code.other, ", ", code.target, "\n"];
    case "call":
      return [code.target, " = ", `${code.function}(`, code.argument, ")", "\n"];
    case "if":
      return ["if ", code.variable, " < ", String(code.below), ":", "\n"];
    case "else":
      return ["else:", "\n"];
    case "return":
      return ["return ", code.variable, "\n"];
    default:
      return [code.target, ` ${code.op} `, String(code.operand), "\n"];
  }
}

export const definition = (name: string, parameters: readonly string[]) =>
  `def ${name}(${parameters.join(", ")}):`;

/** All words of `piecesOf`, except names, numbers and definitions. */
export const codeSymbols = [
  ...["\n", ", ", " = ", " += ", " -= ", " %= ", " //= "],
  ...["if ", " < ", ":", "else:", "return "],
];

const forms: readonly (readonly [RegExp, (parts: readonly string[]) => Code])[] = [
  [/^def (\w+)\((.*)\):$/, ([name, names]) => ({ op: "def", name, parameters: parametersOf(names) })],
  [/^if (\w+) < (-?\d+):$/, ([variable, below]) => ({ op: "if", variable, below: Number(below) })],
  [/^else:$/, () => ({ op: "else" })],
  [/^return (\w+)$/, ([variable]) => ({ op: "return", variable })],
  [/^(\w+), (\w+) = \2, \1$/, ([target, other]) => ({ op: "swap", target, other })],
  [
    /^(\w+) = (\w+)\((\w+)\)$/,
    ([target, name, argument]) => ({ op: "call", target, function: name, argument }),
  ],
  [
    /^(\w+) (=|\+=|-=|%=|\/\/=) (\S+)$/,
    ([target, op, operand]) => ({
      op: op as "=", // one of the names in the expression
      target,
      operand: /^-?\d+$/.test(operand) ? Number(operand) : operand,
    }),
  ],
];

/** A parameter may have a default: `a=3`. */
const parametersOf = (names: string) => (names === "" ? [] : names.split(", "));

/** Parses the output of `piecesOf`. Throws on anything else: only texts of the tasks come here. */
export function readCode(text: string): Line[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const code = line.trimStart();
      for (const [form, make] of forms) {
        const found = form.exec(code);
        if (found !== null) return { ...make(found.slice(1)), indent: (line.length - code.length) / 4 };
      }
      throw new Error(`no line of such a function: ${line}`);
    });
}
