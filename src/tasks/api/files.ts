/**
 * @file Domain: three files in two folders, one of which is open at a time.
 *
 *     create('a')     edit('a')     write(2)     close()     move('a', 'tmp')          in tmp, with a 2 in it
 */

import type { Domain, Read } from "./state-machine.ts";

const numbers = ["0", "1", "2"];
const folders = ["'home'", "'tmp'"];
const file = { name: "file", values: ["'a'", "'b'", "'c'"] };
const folder = { name: "folder", values: folders };
const where = (name: string) => `where[${name}]`;
const text = (name: string) => `text[${name}]`;

const isHere = (read: Read, name: string) => read(where(name)) === read("here");
/** An open file cannot be moved. */
const moving = (read: Read, name: string) =>
  read("opened") !== "None" ? "OSError" : isHere(read, name) ? undefined : "FileNotFoundError";
const opened = (read: Read) => (read("opened") === "None" ? "OSError" : undefined);

export const files: Domain = {
  name: "files",
  summary: "three files in two folders, one open at a time",
  start: [
    ["here", folders],
    ["opened", ["None"]],
    ["where['a']", ["None"]],
    ["where['b']", ["None"]],
    ["where['c']", ["None"]],
    ["text['a']", ["None"]],
    ["text['b']", ["None"]],
    ["text['c']", ["None"]],
    ["r", ["None"]],
  ],
  values: ["None", "'a'", "'b'", "'c'", ...folders, ...numbers],
  apis: [
    {
      name: "go",
      words: "to another folder; not while a file is open",
      parameters: [folder],
      refuses: (read, to) => (read("opened") !== "None" || read("here") === to ? "OSError" : undefined),
      effect: (_, to) => ({ here: to }),
    },
    {
      name: "create",
      words: "a file here, with a 0 in it; where there is none of that name",
      parameters: [file],
      refuses: (read, name) => (read(where(name)) === "None" ? undefined : "FileExistsError"),
      effect: (read, name) => ({ [where(name)]: read("here"), [text(name)]: "0" }),
    },
    {
      name: "remove",
      words: "a file that is here; not while one is open",
      parameters: [file],
      refuses: moving,
      effect: (_, name) => ({ [where(name)]: "None", [text(name)]: "None" }),
    },
    {
      name: "move",
      words: "a file from here to the other folder; not while one is open",
      parameters: [file, folder],
      refuses: (read, name, to) => moving(read, name) ?? (read("here") === to ? "OSError" : undefined),
      effect: (_, name, to) => ({ [where(name)]: to }),
    },
    {
      name: "copy",
      words: "what is in a file over what is in another one; both are here, none is open",
      parameters: [file, { ...file, name: "other" }],
      refuses: (read, name, other) => moving(read, name) ?? moving(read, other),
      effect: (read, name, other) => ({ [text(other)]: read(text(name)) }),
    },
    {
      name: "edit",
      words: "opens a file that is here; one at a time",
      parameters: [file],
      refuses: moving,
      effect: (_, name) => ({ opened: name }),
    },
    {
      name: "write",
      words: "a number into the open file, in place of what was there",
      parameters: [{ name: "value", values: [...numbers, "r"] }],
      refuses: (read, value) => opened(read) ?? (value === "None" ? "TypeError" : undefined),
      effect: (read, value) => ({ [text(read("opened"))]: value }),
    },
    {
      name: "increment",
      words: "adds 1 to what is in the open file, mod 3",
      parameters: [],
      refuses: opened,
      effect: (read) => ({ [text(read("opened"))]: String((Number(read(text(read("opened")))) + 1) % 3) }),
    },
    {
      name: "read",
      words: "gives what is in the open file",
      parameters: [],
      refuses: opened,
      effect: () => ({}),
      result: (read) => read(text(read("opened"))),
    },
    {
      name: "close",
      words: "the open file",
      parameters: [],
      refuses: opened,
      effect: () => ({ opened: "None" }),
    },
  ],
  python: `here = 'home'
opened = None
where = {'a': None, 'b': None, 'c': None}
text = {'a': None, 'b': None, 'c': None}
r = None

def go(folder):
    global here
    if opened is not None or folder == here:
        raise OSError('cannot go there')
    here = folder

def create(file):
    if where[file] is not None:
        raise FileExistsError(file)
    where[file], text[file] = here, 0

def found(file):
    if opened is not None:
        raise OSError('a file is open')
    if where[file] != here:
        raise FileNotFoundError(file)

def remove(file):
    found(file)
    where[file] = text[file] = None

def move(file, folder):
    found(file)
    if folder == here:
        raise OSError('it is there')
    where[file] = folder

def copy(file, other):
    found(file)
    found(other)
    text[other] = text[file]

def edit(file):
    global opened
    found(file)
    opened = file

def is_open():
    if opened is None:
        raise OSError('no file is open')

def write(value):
    is_open()
    if value is None:
        raise TypeError('a number is needed')
    text[opened] = value

def increment():
    is_open()
    text[opened] = (text[opened] + 1) % 3

def read():
    is_open()
    return text[opened]

def close():
    global opened
    is_open()
    opened = None
`,
};
