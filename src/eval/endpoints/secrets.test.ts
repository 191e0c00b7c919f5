import fc from "fast-check";
import { expect, test } from "vitest";
import { redactor } from "./secrets.ts";

const key = fc.string({
  minLength: 8,
  maxLength: 40,
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});

test("a key is found however JSON, a URL or HTML writes it, and nothing of it is left", () => {
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");
  const written: readonly ((code: number) => string)[] = [
    (code) => String.fromCharCode(code),
    (code) => JSON.stringify(String.fromCharCode(code)).slice(1, -1),
    (code) => `\\u${hex(code, 4)}`,
    (code) => `\\u${hex(code, 4).toUpperCase()}`,
    (code) => `%${hex(code, 2).toUpperCase()}`,
    (code) => `&#${code};`,
    (code) => `&#x${hex(code, 2)};`,
    (code) => (code === 0x2f ? "\\/" : String.fromCharCode(code)),
  ];
  fc.assert(
    fc.property(key, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), (secret, choices) => {
      const text = Array.from(secret, (each, i) =>
        written[choices[i] % written.length](each.charCodeAt(0)),
      ).join("");
      const { redact, finds } = redactor([secret]);
      expect([finds(text), redact(`it is ${text}, no?`)]).toEqual([true, "it is [key], no?"]);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("other text is not touched, and a short key never", () => {
  const { redact } = redactor(["sk-0123456789"]);
  expect(redact("sk-012345678 and sk-0123456788")).toBe("sk-012345678 and sk-0123456788");
  expect(redactor(["x", "1234567"]).redact("x = 1234567")).toBe("x = 1234567");
});
