/** @file The lines of a Python file above which the extension offers to record a run. */

/**
 * @typedef {object} Lens
 * @property {number} line from 0
 * @property {"Debug this call" | "Debug this test"} title
 * @property {string} [call] what is recorded after the module; without it the whole script, from this line on
 */

/**
 * Tests without parameters, `if __name__ == "__main__"`, and lines of the module that call one of its functions.
 *
 * @param {string} text
 * @returns {Lens[]}
 */
function lensesIn(text) {
  const code = withoutStrings(text);
  const defined = [...code.matchAll(/^(?:async[ \t]+)?def[ \t]+([^\W\d]\w*)/gm)].map(([, name]) => name);
  return code.split("\n").flatMap((row, line) => {
    const [, test] = /^def[ \t]+(test_\w*)[ \t]*\([ \t]*\)/.exec(row) ?? [];
    if (test !== undefined) return [{ line, title: "Debug this test", call: `${test}()` }];
    if (/^if[ \t]+__name__[ \t]*==/.test(row)) return [{ line, title: "Debug this call" }];
    if (/^(?:\s|async\b|def\b|class\b|@|from\b|import\b|$)/.test(row)) return [];
    const called = [...row.matchAll(/(?<![\w.])([^\W\d]\w*)[ \t]*\(/g)].map(([, name]) => name);
    return called.some((name) => defined.includes(name)) ? [{ line, title: "Debug this call" }] : [];
  });
}

/** Blanks strings and comments. Lines stay where they are. */
function withoutStrings(text) {
  const parts = /("""|''')(?:\\[\s\S]|[\s\S])*?(?:\1|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*/g;
  return text.replaceAll("\r\n", "\n").replace(parts, (part) => {
    const blank = part.replace(/[^\n]/g, " ");
    return part.startsWith("#") ? blank : `s${blank.slice(1)}`;
  });
}

module.exports = { lensesIn };
