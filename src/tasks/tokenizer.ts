/**
 * @file Tokenizers of tasks: text to integers and back, without loss, by word or by character, and as Hugging Face files.
 *
 *     wordTokenizer(words).encode(">>> a = 1\n")        the indices in `words` of ">>> ", "a", " = ", "1", "\n"
 *     characterTokenizer(words).encode("a = 1\n")       one id a character; the alphabet is sorted
 *
 * Longest match at each position. `toHuggingFace` writes the same rule as a Split pre-tokenizer with a WordLevel model, and a decoder
 * that concatenates tokens.
 */

import { fail } from "../core/error.ts";

type TaskTokens = "word" | "character";

export interface Tokenizer {
  /** "file": that of a language model (file-tokenizer.ts). */
  readonly kind: TaskTokens | "file";
  /** The content of its `tokenizer.json`, if it was read from one. */
  readonly file?: object;
  /** tokens[id] is the text of a token; distinct and non-empty. */
  readonly tokens: readonly string[];
  /** @throws LabError naming the first character that no token fits. */
  encode(text: string): number[];
  /** @throws LabError for an id that is not a token. */
  decode(ids: Iterable<number>): string;
}

/** One id a word of a task: id = index in `words`. */
export function wordTokenizer(words: readonly string[]): Tokenizer {
  return tokenizerOf("word", words);
}

/** One id a character (Unicode code point) that occurs in the words, in sorted order. */
export function characterTokenizer(words: readonly string[]): Tokenizer {
  return tokenizerOf("character", [...new Set(words.flatMap((word) => [...word]))].sort());
}

export function tokenizerNamed(kind: TaskTokens, words: readonly string[]): Tokenizer {
  return kind === "word" ? wordTokenizer(words) : characterTokenizer(words);
}

function tokenizerOf(kind: TaskTokens, tokens: readonly string[]): Tokenizer {
  const idOf = new Map(tokens.map((token, id) => [token, id]));
  if (idOf.size !== tokens.length || idOf.has("") || tokens.length === 0) {
    fail("tokenizer", "a list of distinct, non-empty words", tokens);
  }
  const lexer = new RegExp(longestFirst(tokens), "y");
  return {
    kind,
    tokens,
    encode(text) {
      const ids: number[] = [];
      for (let at = 0; at < text.length; at = lexer.lastIndex) {
        lexer.lastIndex = at;
        const found = lexer.exec(text);
        if (found === null) return unknown(kind, text, at);
        // Every alternative of the lexer is a token.
        ids.push(idOf.get(found[0]) as number);
      }
      return ids;
    },
    decode(ids) {
      let text = "";
      for (const id of ids)
        text += tokens[id] ?? fail(`${kind} tokenizer`, `ids 0 to ${tokens.length - 1}`, id);
      return text;
    },
  };
}

/** The unknown words of a text, each once, at most so many. */
export function unknownWords({ tokens }: Tokenizer, text: string, most = 10): string[] {
  const lexer = new RegExp(longestFirst(tokens), "y");
  const words = new Set<string>();
  // a whole word, even if its first letters are a token; or white space; or one mark
  const pieces = [...text.matchAll(/[\p{L}\p{N}_]+|\s+|[\s\S]/gu)];
  let piece = 0;
  for (let at = 0; at < text.length && words.size < most; ) {
    lexer.lastIndex = at;
    if (lexer.test(text)) {
      at = lexer.lastIndex;
      continue;
    }
    while (pieces[piece].index + pieces[piece][0].length <= at) piece++;
    words.add(pieces[piece][0]);
    at = pieces[piece].index + pieces[piece][0].length;
  }
  return [...words];
}

function unknown(kind: string, text: string, at: number): never {
  return fail(`${kind} tokenizer`, `text made of its tokens, at character ${at}`, text.slice(at, at + 20));
}

/** A regular expression of the longest token at a position; the syntax common to JavaScript and Oniguruma. */
function longestFirst(tokens: readonly string[]): string {
  return tokens
    .toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1))
    .map((token) => token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll("\n", "\\n"))
    .join("|");
}

/** The content of `tokenizer.json`, readable by Hugging Face `tokenizers` and `transformers`. */
export function toHuggingFace({ tokens, file }: Tokenizer): object {
  if (file !== undefined) return file;
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: {
      type: "Split",
      pattern: { Regex: longestFirst(tokens) },
      behavior: "Isolated",
      invert: false,
    },
    post_processor: null,
    decoder: { type: "Fuse" },
    model: {
      type: "WordLevel",
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      unk_token: "<unk>",
    },
  };
}

/**
 * The line end as a token that can pad a batch and end an answer; undefined unless it is a token and in no other one, since
 * loaders look for special tokens first, before the longest match.
 */
export function lineEnd({ kind, tokens }: Tokenizer): number | undefined {
  if (kind === "file") return undefined; // its newline may be another token in the file, such as <0x0A>
  const containing = tokens.filter((token) => token.includes("\n"));
  return containing.join() === "\n" ? tokens.indexOf("\n") : undefined;
}

/** The content of `tokenizer_config.json`: without it a loader may "clean up" spaces, which changes the text. */
export function huggingFaceConfig(tokenizer: Tokenizer) {
  const special = lineEnd(tokenizer) === undefined ? {} : { pad_token: "\n", eos_token: "\n" };
  return { tokenizer_class: "PreTrainedTokenizerFast", clean_up_tokenization_spaces: false, ...special };
}
