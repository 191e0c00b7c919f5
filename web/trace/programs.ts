/** @file Programs to begin with: a memoized recursion, a list under two names, a loop. */

export const programs: readonly { readonly name: string; readonly text: string }[] = [
  {
    name: "A memoized recursion",
    text: `def fib(n, known):
    if n < 2:
        return n
    if n not in known:
        known[n] = fib(n - 1, known) + fib(n - 2, known)
    return known[n]

fib(4, {})
`,
  },
  {
    name: "A shared list",
    text: `def grid(n):
    row = [0] * n
    rows = [row] * n
    rows[0][1] = 5
    copy = [list(each) for each in rows]
    copy[1][0] = 7
    return rows, copy

grid(2)
`,
  },
  {
    name: "A loop over a string",
    text: `def f(text):
    seen, out = set(), []
    for letter in text:
        if letter in seen:
            out.insert(0, letter.upper())
        else:
            seen.add(letter)
            out.append(letter)
    return ''.join(out)

f('banana')
`,
  },
];
