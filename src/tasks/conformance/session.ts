/**
 * @file A text as the Python that it is, if it is: what an interpreter must run to find its states anew.
 *
 *     >>> a, b = b, a          a, b = b, a
 *     >>> print('a', a)        print('a', a)
 *     a 2
 */

/** The lines of code of a session: without prompts, and without what a print wrote. */
export function codeOf(text: string): string {
  let isOutput = false;
  return text
    .split("\n")
    .filter((line) => {
      const keep = !isOutput;
      isOutput = keep && /^(>>> )?print\(/.test(line);
      return keep;
    })
    .map((line) => line.replace(/^>>> /, ""))
    .join("\n");
}

/** Whether the text assigns each of these names, as Python does. */
export function isPython(text: string, names: readonly string[]): boolean {
  const assigned = codeOf(text)
    .split("\n")
    .flatMap((line) => /^(\w+(?:, \w+)*) = \S/.exec(line)?.[1].split(", ") ?? []);
  return names.length > 0 && names.every((name) => assigned.includes(name));
}
