/**
 * @file The program that a prompt of `ask` shows last, as a function call to be recorded: what is asked about is left out.
 *
 *     [PYTHON]\ndef f(n): ...\nassert f(17) == ??\n[/PYTHON]      def f(n): ...        f(17)
 *     n = 17\nn += 1\nassert (n) == ??                            n = 17\nn += 1       n
 */

import { sidesOf } from "../../eval/scoring/source-text.ts";

export function programOf(prompt: string): { readonly source: string; readonly call: string } | undefined {
  const start = prompt.lastIndexOf("[PYTHON]");
  const end = prompt.indexOf("[/PYTHON]", start);
  if (start < 0) return undefined;
  const lines = prompt
    .slice(start + "[PYTHON]".length, end < 0 ? undefined : end)
    .replace(/^\n/, "")
    .trimEnd()
    .split("\n");
  const at = lines.findLastIndex((line) => /^assert\b/.test(line));
  if (at < 0) return undefined;
  const [call, expected] = sidesOf(lines.slice(at).join("\n"));
  if (call === undefined || expected === undefined || call.includes("??")) return undefined;
  return { source: `${lines.slice(0, at).join("\n")}\n`, call: call.trim() };
}
