import { expect, test } from "vitest";
import { LabError } from "../../core/error.ts";
import { hostileCells } from "./attacks/index.ts";
import type { Act } from "./host.ts";
import { describeHosts } from "./hosts.test-helper.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";
import { problemsOf } from "./session.test-helper.ts";

const none: Act = () => ({ value: null });
const cell = (code: string) => ({ code, tools: [["look", ["at"]]] as const });

describeHosts(
  (host) => {
    const session = () => host.session();

    test("names stay from cell to cell, and none meets another session", async () => {
      const [one, other] = [await session(), await session()];
      expect(await one.run(cell("x = [1]\nprint('ä', x)"), none)).toEqual({
        kind: "cell",
        end: {
          ...{ end: "finished", exception: "", message: "", output: "ä [1]\n", characters: 6 },
          names: [["x", "list"]],
        },
      });
      expect(await one.run(cell("x.append(2)\nprint(x)"), none)).toMatchObject({
        end: { output: "[1, 2]\n" },
      });
      expect(await other.run(cell("print(x)"), none)).toMatchObject({
        end: { end: "raised", exception: "NameError", message: "name 'x' is not defined" },
      });
      await one.close();
      await other.close();
      const later = await session();
      expect(await later.run(cell("print(x)"), none)).toMatchObject({ end: { exception: "NameError" } });
      await later.close();
    });

    test("a tool is asked outside, and its answer is a value or an exception", async () => {
      const asked: unknown[] = [];
      const act: Act = (call) => {
        asked.push(call);
        return call.arguments[0] === 0
          ? { error: "PermissionError", message: "not this one" }
          : { value: { seen: call.arguments[0] } };
      };
      const one = await session();
      const code = "print(look('ü'))\ntry: look(0)\nexcept PermissionError as error: print(error)\nlook()";
      expect(await one.run(cell(code), act)).toMatchObject({
        end: { end: "raised", exception: "TypeError", output: "{'seen': 'ü'}\nnot this one\n" },
      });
      expect(asked).toEqual([
        { name: "look", arguments: ["ü"] },
        { name: "look", arguments: [0] },
      ]);
      await one.close();
    });

    test("a tool takes its parameters by their names, and no others", async () => {
      const asked: unknown[] = [];
      const act: Act = (call) => ({ value: asked.push(call.arguments) });
      const one = await session();
      const given = {
        code: "move('a', to=2)\nmove(to=2, start='a')\nmove(to=2)",
        tools: [["move", ["start", "to"]]] as const,
      };
      const wrong = { end: "raised", exception: "TypeError" };
      expect(await one.run(given, act)).toMatchObject({ end: wrong });
      for (const code of ["move(1, 2, to=3)", "move(1, too=2)", "move(1, 2, 3)"])
        expect(await one.run({ ...given, code }, act)).toMatchObject({ end: wrong });
      expect(asked).toEqual([
        ["a", 2],
        ["a", 2],
      ]);
      await one.close();
    });

    test("what is printed beyond its bound is counted, a line that is no Python is said", async () => {
      const one = await session();
      const long = { ...cell("print('x' * 3000)"), outputCharacters: 10 };
      expect(await one.run(long, none)).toMatchObject({ end: { output: "x".repeat(10), characters: 3001 } });
      expect(await one.run(cell("x = ="), none)).toMatchObject({
        end: { end: "syntax", exception: "SyntaxError" },
      });
      await one.close();
      expect(await one.run(cell("1"), none)).toEqual({ kind: "sandbox", words: "the session is over" });
    });

    test("a cell that passes a limit ends its session, and the host goes on", async () => {
      const one = await session();
      const end = await one.run(cell("while True: pass"), none, { wallSeconds: 0.3 });
      expect([end, one.alive]).toEqual([
        { kind: "time", words: "the cell ran for longer than 0.3 s" },
        false,
      ]);
      await one.close();
      const aborted = new AbortController();
      const other = await session();
      const running = other.run(cell("while True: pass"), none, {}, aborted.signal);
      setTimeout(() => aborted.abort(new Error("enough")), 100);
      await expect(running).rejects.toThrow("enough");
      await other.close();
      const last = await session();
      expect(await last.run(cell("print(1)"), none)).toMatchObject({ end: { output: "1\n" } });
      await last.close();
    });

    test("programs that are no sessions find no tools", async () => {
      const code = "open('/lab/tools', 'r+b', buffering=0).write(b'[]\\n')\nassert False, 'written'";
      const outcome = await host.run({ operation: "execute", code });
      expect(outcome).toMatchObject({ kind: "done", value: { outcome: "raised" } });
    });
  },
  { atMost: 2 },
);

test("a host that is closed, or none, refuses a session as a sandbox that is missing", async () => {
  const host = await openHost("native");
  await host.close();
  await expect(host.session()).rejects.toThrow(LabError);
});

test.skipIf(findNative().kind === "missing")(
  "what a cell leaves running is contained, and the sessions after it are not worse off",
  async () => {
    const host = await openHost("native", { atMost: 1 });
    const list = hostileCells.filter(({ later, name }) => later || /forged|^builtins/.test(name));
    expect(await problemsOf(host, list)).toEqual([]);
    expect(list.length).toBeGreaterThanOrEqual(8);
    const honest = await host.session();
    expect(await honest.run(cell("print(6 * 7)"), none)).toMatchObject({ end: { output: "42\n" } });
    await host.close();
  },
);
