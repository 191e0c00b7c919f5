/**
 * @file Removes the model's reasoning from a reply if the server leaves it in the text.
 *
 *     <think>17, then 18.</think>\n[ANSWER]...          answer: \n[ANSWER]...
 *     17, then 18.\n</think>\n[ANSWER]...               the same: the prompt's template had opened it
 *     <think>17, then                                   unfinished: no answer yet
 *     <|channel|>analysis<|message|>17, then 18.<|end|><|start|>assistant<|channel|>final<|message|>18
 *
 * Marks are recognized by their form: a word for thinking in angle brackets or in other brackets that do not occur in
 * programs. A quoted mark is only mentioned. Blocks may be repeated and nested.
 */

export interface Split {
  readonly answer: string;
  readonly reasoning: string;
  /** Reasoning that does not end. */
  readonly unfinished: boolean;
}

/** Start and end marks of the model's thoughts, if they have another form. */
export type ThoughtMarks = readonly [start: string, end: string];

const word = "(?:think|thought|reason|reflect|scratch_?pad|monologue|deliberat|rationale|analysis)";
const shape = new RegExp(
  [
    `(?:<\\|?|[\u25c1\u27e8\uff1c\u3008\u2039])\\s*(\\/?)([\\w:.-]{0,40}${word}[\\w:.-]{0,40})(?:\\s[^<>|\\n]{0,200})?(?<!\\/)(?:\\|?>|[\u25b7\u27e9\uff1e\u3009\u203a])`,
    "\\[(\\/?)((?:THINK|REASON)(?:ING)?|SCRATCHPAD|REFLECTION)\\]",
    `<\\|(channel)>\\s*${word}\\w*`,
    "<(channel)\\|>",
  ].join("|"),
  "gi",
);
const isEnd = /(?:^|[_:-])end(?:[_:-]|$)/i;

interface Mark {
  readonly opens: boolean;
  readonly start: number;
  readonly end: number;
}

export function splitReasoning(text: string, marks?: ThoughtMarks): Split {
  const channels = splitChannels(text);
  if (channels !== undefined) return channels;
  const outside: string[] = [];
  const thoughts: string[] = [];
  let depth = 0;
  let from = 0;
  let opened = 0;
  let closed = 0;
  for (const { opens, start, end } of marksIn(text, marks)) {
    if (opens) {
      if (depth++ > 0) continue;
      outside.push(text.slice(from, start));
      opened = end;
      from = start;
    } else {
      if (depth === 0) outside.push(text.slice(from, start)); // the opening mark is not in the text: everything before is a thought
      thoughts.push(depth === 0 ? outside.splice(0).join("") : depth === 1 ? text.slice(opened, start) : "");
      depth = Math.max(0, depth - 1);
      closed = end;
      if (depth === 0) from = end;
    }
  }
  if (depth > 0) {
    const isNested = closed > opened; // a mark that was only named opened one block too many
    const isThought =
      outside.every(isBlank) || (thoughts.length > 0 && /(?:^|[\n\]>])[ \t]*$/.test(text.slice(0, from)));
    if (isNested) thoughts.push(text.slice(opened, closed));
    else if (isThought) thoughts.push(text.slice(opened));
    from = isNested ? closed : isThought ? text.length : from;
  }
  outside.push(text.slice(from));
  const answer = outside.filter((part) => !isBlank(part)).join("");
  return {
    answer: thoughts.length === 0 ? text : answer,
    reasoning: thoughts.join(""),
    unfinished: depth > 0 && answer === "",
  };
}

const isBlank = (text: string) => text.trim() === "";

function marksIn(text: string, own: ThoughtMarks | undefined): Mark[] {
  const known = [...text.matchAll(shape)].flatMap((found): Mark[] => {
    const [whole, slash = "", name = "", square = "", inSquare = "", , closes] = found;
    if (inSquare !== inSquare.toUpperCase()) return []; // a list of Python
    const opens = slash === "" && square === "" && closes === undefined && !isEnd.test(name);
    return [{ opens, start: found.index, end: found.index + whole.length }];
  });
  const given = (own ?? []).flatMap((mark, i) => placesOf(text, mark, i === 0));
  const marks = [...known, ...given].toSorted((a, b) => a.start - b.start);
  const isQuoted = quotedIn(text);
  return marks.filter(({ start }) => !isQuoted(start));
}

function placesOf(text: string, mark: string, opens: boolean): Mark[] {
  const pieces = text.split(mark).slice(0, -1);
  let end = 0;
  return pieces.map((piece) => {
    const start = end + piece.length;
    end = start + mark.length;
    return { opens, start, end };
  });
}

/**
 * Returns a test for ascending positions: whether one is inside a quote or code span of its line, as in `'a </think>
 * b'`.
 */
function quotedIn(text: string): (place: number) => boolean {
  let end = -1;
  let spans: readonly (readonly [number, number])[] = [];
  return (place) => {
    if (place > end) {
      const begin = text.lastIndexOf("\n", place - 1) + 1;
      const next = text.indexOf("\n", place);
      end = next < 0 ? text.length : next;
      const line = text.slice(begin, end);
      spans = [...line.matchAll(quotes)].map(({ index, 0: { length } }) => [
        begin + index,
        begin + index + length,
      ]);
    }
    return spans.some(([from, to]) => from < place && place < to);
  };
}
/** An apostrophe in or after a word does not open a quote. */
const quotes =
  /(?<!\w)[bru]{0,2}(["'`])(?:\\.|(?!\1)[^\\\n])*\1(?!\w)|[\u201c\u2018][^\u201c\u201d\u2018\u2019\n]*[\u201d\u2019]/gi;

/**
 * Harmony: one message per channel, of which `final` is the answer; with its marks, or as servers leave it without
 * them.
 */
function splitChannels(text: string): Split | undefined {
  const plain = /^\s*(?:assistant)?analysis([\s\S]*)assistantfinal([\s\S]*)$/.exec(text);
  if (plain !== null) return { answer: plain[2], reasoning: plain[1], unfinished: false };
  const pieces = text.split(/<\|channel\|>/);
  if (pieces.length === 1) return undefined;
  const messages = pieces.slice(1).map((piece) => {
    const [, channel, content] = /^\s*(\w*)[\s\S]*?<\|message\|>([\s\S]*)$/.exec(piece) ?? [];
    return { channel: channel ?? "", content: (content ?? "").split(/<\|(?:end|return|call|start)\|>/)[0] };
  });
  const answer = messages.findLast(({ channel }) => channel === "final")?.content;
  const reasoning = messages.filter(({ channel }) => channel !== "final").map(({ content }) => content);
  return { answer: answer ?? "", reasoning: reasoning.join("\n"), unfinished: answer === undefined };
}
