import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { describeHosts } from "../sandbox/hosts.test-helper.ts";
import { severally } from "../sandbox/open.ts";

interface Script {
  readonly source: string;
  readonly argv?: readonly string[];
  readonly stdin?: string;
  readonly modules?: Readonly<Record<string, string>>;
}

const main = (body: string) =>
  `def main():\n    ${body.replaceAll("\n", "\n    ")}\n\nif __name__ == "__main__":\n    main()\n`;

const scripts: Script[] = [
  { source: "n = int(input())\nfor i in range(n):\n    print(input('> '))\n", stdin: "2\na\nb\nc\n" },
  { source: "import sys\nfor line in sys.stdin:\n    print(repr(line))\n", stdin: "\ufeffa\r\nb\rc\n\nd" },
  {
    source: main("import sys\nwords = sys.stdin.read().split()\nprint(len(words), words[-1])"),
    stdin: "x y\nż 😀",
  },
  {
    source: "import fileinput\nfor line in fileinput.input():\n    print(fileinput.lineno(), line, end='')\n",
    stdin: "a\nb\n",
  },
  {
    source:
      "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int)\np.add_argument('words', nargs='*')\n" +
      "a = p.parse_args()\nprint(a.n, a.words)\n",
    argv: ["--n", "3", "two words", ""],
  },
  {
    source: "import argparse\np = argparse.ArgumentParser()\np.add_argument('n', type=int)\np.parse_args()\n",
    argv: ["x"],
  },
  {
    source: main("import sys\nprint(sys.argv[1:], len(sys.argv))\nsys.exit(len(sys.argv))"),
    argv: ["é", "'"],
  },
  { source: main("print('first')\nwhile True:\n    print(input().upper())"), stdin: "a\nb" },
  { source: "try:\n    input()\nexcept EOFError as e:\n    print('end', e)\n", stdin: "" },
  { source: "import os\nprint(os.read(0, 3), os.lseek(0, 0, 1))\nprint(open(0).read())\n", stdin: "abcdef" },
  {
    source: "import sys\nprint(sys.stdin.buffer.read(2), sys.stdin.readline(), sys.stdin.readlines())\n",
    stdin: "ab\nc\nd\n",
  },
  {
    source:
      "import sys\na = sys.stdin\na.seek(2)\nprint(a.tell(), a.readline(), a.isatty(), a.name, a.fileno(), a.encoding, a.errors, a.mode)\n",
    stdin: "abc\nd\n",
  },
  { source: "while (line := input()) != 'q':\n    print(int(line) + 1)\n", stdin: "1\n2\nq\n3\n" },
  { source: main("for a, b in zip(iter(input, ''), [1, 2, 3]):\n    print(a * b)"), stdin: "x\ny\n\n" },
];
scripts.push(
  {
    source:
      "import counter as c\nfrom counter import up\nfor i in range(3):\n    up()\nprint(c.count, c.seen)\n",
    modules: {
      "counter.py":
        "print('loaded', __name__)\ncount, seen = 0, []\ndef up():\n    global count\n    count += 1\n    seen.append(count)\n",
    },
  },
  {
    source:
      "import shapes.square as s\nfrom shapes import *\nprint(s.area(3), unit, s.Square(2), s.Square(2).area())\n",
    modules: {
      "shapes/__init__.py": "__all__ = ['unit']\nunit = 'cm'\n",
      "shapes/square.py":
        "from . import unit\nfrom .deep.base import Base\ndef area(x):\n    return f'{x * x} {unit}'\nclass Square(Base):\n    def __repr__(self):\n        return f'Square({self.x})'\n",
      "shapes/deep/base.py":
        "class Base:\n    def __init__(self, x):\n        self.x = x\n    def area(self):\n        return self.x ** 2\n",
    },
  },
  {
    source: "import one\nprint(one.f(5), one.two.g(5))\n",
    modules: {
      "one.py": "import two\ndef f(n):\n    return n if n < 1 else two.g(n - 1)\n",
      "two.py": "import one\ndef g(n):\n    return one.f(n - 1)\n",
    },
  },
  {
    source: "try:\n    import broken\nexcept ValueError as e:\n    print(e)\nimport broken\n",
    modules: { "broken.py": "raise ValueError('not today')\n" },
  },
  {
    source: main("import słowa\nprint(słowa.tekst, sorted(vars(słowa))[-1])"),
    modules: { "słowa.py": "tekst = 'zażółć 😀'\n" },
  },
  {
    source: "import json\nprint(json.mine)\n", // its folder comes before the library
    modules: { "json.py": "mine = True\n" },
  },
  {
    source:
      "import kept\nkept.rows.append(1)\nimport importlib\nimportlib.reload(kept)\nprint(kept.rows)\ndel kept\nimport kept\nprint(kept.rows)\n",
    modules: { "kept.py": "rows = []\n" },
  },
);

/** What `python3 main.py ARGV < STDIN` prints, and how it ends: the exception, else 0 or the exit code. */
function plain({ source, argv = [], stdin = "", modules = {} }: Script) {
  const folder = mkdtempSync(join(tmpdir(), "inputs-"));
  try {
    for (const [path, text] of Object.entries({ ...modules, "main.py": source })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    writeFileSync(join(folder, "input"), stdin);
    const command = 'exec /usr/bin/python3 main.py "$@" < input';
    const env = { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };
    const run = spawnSync("sh", ["-c", command, "sh", ...argv], { cwd: folder, env, encoding: "utf8" });
    const [, raised] = /^(\w+)(?:: .*)?\n$/m.exec(run.stderr.split("\n").slice(-2).join("\n")) ?? [];
    const exception = run.stderr.includes("Traceback") ? raised : "SystemExit";
    return { output: run.stdout, ended: run.status === 0 ? undefined : exception };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One trace a request, in their order. */
describeHosts((host) => {
  const traced = async (requests: readonly Partial<Script>[]): Promise<TraceRecord[]> => {
    const common = { operation: "trace", call: "None", options: {} };
    const answers = await severally(
      host,
      requests.map((each) => ({ ...common, ...each })),
      { wallSeconds: 120 },
    );
    return answers.map((each) => {
      if ("stopped" in each) throw new Error(each.stopped);
      return parseTrace(each.value, "trace");
    });
  };

  test("a trace with arguments and input prints what python3 FILE ARGV < INPUT prints, and ends as it does", async () => {
    for (const [i, trace] of (await traced(scripts)).entries()) {
      const { source, argv, stdin } = scripts[i];
      const { proven, output = "", reason, environment, ...record } = trace;
      const [, ended] = /^the call raises (\w+)/.exec(reason ?? "") ?? [];
      expect({ proven, output, ended, source }, reason ?? "").toEqual({
        ...{ proven: true, source },
        ...plain(scripts[i]),
      });
      expect([record.argv, record.stdin], source).toEqual([argv, stdin]); // the record says what was given
      expect(environment?.machine, source).toBeUndefined(); // not what the record itself gives
    }
  });

  test("what an imported module, or the last line, reads of the machine is named; the next request has no module", async () => {
    const source = "import helper\nx = helper.f()\n";
    const helper = (body: string) => ({ source, modules: { "helper.py": body } });
    const records = await traced([
      helper("import os\ndef f():\n    return os.getpid()\n"),
      helper("import time\ndef f():\n    return time.time()\n"),
      helper("def f():\n    return __file__\n"),
      { source: "x = [__file__]\n" },
      { source },
    ]);
    const told = records.map(({ proven, environment, reason }) =>
      proven ? (environment?.machine ?? environment?.clock ?? environment?.file) : reason,
    );
    for (const each of told) expect(each, JSON.stringify(told)).toBeDefined();
    expect(told[4]).toContain("imports helper");
  });

  test("without input a program that reads it is refused; the next request of the same host reads none of the one before", async () => {
    const source = "print(input())\n";
    const records = await traced([{ source, stdin: "secret\nmore\n" }, { source }]);
    expect(records.map(({ proven, output }) => [proven, output])).toEqual([
      [true, "secret\n"],
      [false, undefined],
    ]);
    expect(records[1].reason).toContain("reads standard input (input)");
  });
});
