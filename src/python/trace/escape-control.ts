/**
 * @file Makes untrusted program text safe for a terminal: control characters become escapes.
 *
 *     x = "␛[2J"      x = "\u001b[2J"
 *
 * The escapes are those of JSON, so a JSON document stays the same document.
 */

/** Controls, and what is invisible or turns the direction of writing; line ends apart. */
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const mark = /[\p{Mn}\p{Me}]/u;

/** On one line: newlines and tabs are escaped as well. */
export function visible(text: string): string {
  return text.replaceAll(steering, escaped);
}

/** Line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text.replaceAll(steering, (found) => (found === "\n" || found === "\t" ? found : escaped(found)));
}

/** The columns of a terminal that a character takes, once it is visible. */
export function columnsOf(character: string): number {
  if (mark.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
