/**
 * @file Python in the page, contained: a frame without an origin, in which nothing can be loaded; in it a worker; in it CPython, which may
 * import only what the lab's own list names.
 *
 *     const python = await openPython((share) => ...);
 *     await python.run({ operation: "trace", source, call, options: {} });      { kind: "done", value: {...}, ... }
 *
 * The output of the frame may come from an untrusted program: it is validated like any file.
 */

import type { Hello, Request, Said } from "./python.worker.ts";

export type PageOutcome =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "stopped"; readonly words: string };

export interface PagePython {
  /** One request at a time; each begins in the state in which the interpreter was loaded. */
  run(request: { readonly operation: string; readonly [argument: string]: unknown }): Promise<PageOutcome>;
  /** Whether it can answer another request. */
  readonly isOpen: boolean;
  close(): void;
}

/** With their sizes in bytes, shown before and during loading. */
export const RUNTIME = {
  "pyodide.asm.wasm": 9_598_218,
  "python_stdlib.zip": 2_545_637,
  "pyodide-lock.json": 119_077,
} as const;
export const RUNTIME_MEGABYTES = 14;

const LIMITS = {
  wallSeconds: 20,
  memoryBytes: 512 * 2 ** 20,
  outputBytes: 2 ** 20,
  resultBytes: 32 * 2 ** 20,
} as const;
const START_SECONDS = 90;

/** @throws Error in a sentence where it could not be loaded. */
export async function openPython(progress: (share: number) => void): Promise<PagePython> {
  const [program, lab, files] = await Promise.all([
    loaded("python.worker.js").then((bytes) => new TextDecoder().decode(bytes)),
    loaded("python/lab.json").then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as Hello["lab"]),
    runtimeFiles(progress),
  ]);
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.title = "Python sandbox";
  frame.hidden = true;
  frame.src = "python/frame.html";
  const heard: { hear?: (said: Said | { readonly kind: "open" }) => void } = {};
  const listen = ({ source, data }: MessageEvent) => {
    if (source === frame.contentWindow && typeof data?.kind === "string") heard.hear?.(data);
  };
  let isOpen = true;
  const close = () => {
    isOpen = false;
    removeEventListener("message", listen);
    frame.remove(); // and with it its worker, whatever that is doing
    heard.hear?.({ kind: "failed", words: "Python was closed" });
  };
  const next = (seconds: number, late: string) =>
    new Promise<Said | { readonly kind: "open" }>((answer) => {
      const clock = setTimeout(() => {
        answer({ kind: "failed", words: late });
        close();
      }, seconds * 1000);
      heard.hear = (said) => {
        clearTimeout(clock);
        answer(said);
      };
    });
  const send = (message: object, transfer: Transferable[] = []) =>
    frame.contentWindow?.postMessage(message, "*", transfer);

  addEventListener("message", listen);
  const opened = next(START_SECONDS, "the frame did not open");
  document.body.append(frame);
  const begun = await opened;
  if (begun.kind === "failed") throw new Error(begun.words);
  send({ program });
  const ready = next(START_SECONDS, `Python was not ready after ${START_SECONDS} s`);
  send({ files, lab } satisfies Hello, Object.values(files));
  const first = await ready;
  if (first.kind !== "ready") {
    close();
    throw new Error("words" in first ? String(first.words) : "Python did not start");
  }
  return {
    get isOpen() {
      return isOpen;
    },
    close,
    async run(request) {
      if (!isOpen) return { kind: "stopped", words: "Python was closed" };
      const { wallSeconds } = LIMITS;
      const answer = next(wallSeconds, `the program ran for longer than ${wallSeconds} s`);
      const pinned = request.operation === "trace";
      send({ text: ascii(JSON.stringify(request)), judged: false, pinned, ...LIMITS } satisfies Request);
      const said = await answer;
      if (said.kind !== "reply") close();
      if (said.kind === "reply" || said.kind === "last") return outcomeOf(String(said.text));
      return { kind: "stopped", words: "words" in said ? String(said.words) : "Python was closed" };
    },
  };
}

/** A line of JSON about the end, and the value below it; made where the program was. */
function outcomeOf(text: string): PageOutcome {
  try {
    const end = text.indexOf("\n");
    const header = JSON.parse(text.slice(0, end)) as { readonly kind?: unknown; readonly words?: unknown };
    if (header.kind === "done") return { kind: "done", value: JSON.parse(text.slice(end + 1)) };
    if (typeof header.words === "string") return { kind: "stopped", words: header.words.slice(0, 2_000) };
  } catch {}
  return { kind: "stopped", words: "the interpreter sent an unreadable answer" };
}

const ascii = (text: string) =>
  text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

async function loaded(path: string): Promise<ArrayBuffer> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} could not be loaded (${response.status})`);
  return response.arrayBuffer();
}

/** Counts bytes as they come; what a server sends compressed is counted as it is unpacked. */
async function runtimeFiles(progress: (share: number) => void): Promise<Record<string, ArrayBuffer>> {
  const total = Object.values(RUNTIME).reduce((sum, bytes) => sum + bytes, 0);
  let got = 0;
  const files = await Promise.all(
    Object.keys(RUNTIME).map(async (name) => {
      const response = await fetch(`python/${name}`);
      if (!response.ok || response.body === null)
        throw new Error(`python/${name} could not be loaded (${response.status})`);
      const counted = response.body.pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(piece, out) {
            got += piece.length;
            progress(Math.min(1, got / total));
            out.enqueue(piece);
          },
        }),
      );
      return [name, await new Response(counted).arrayBuffer()] as const;
    }),
  );
  return Object.fromEntries(files);
}
