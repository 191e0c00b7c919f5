/**
 * @file Domain: a session with local and remote state: a logged-in user pulls and changes copies, and only one user may push.
 *
 *     login('ann')     pull('x')     add('x', 'x')     push('x')          remote['x'] is twice what it was, mod 4
 */

import type { Domain } from "./state-machine.ts";

const keys = { name: "key", values: ["'x'", "'y'", "'z'"] };
const numbers = ["0", "1", "2", "3"];
const local = (key: string) => `local[${key}]`;
const remote = (key: string) => `remote[${key}]`;
const nothing = { "local['x']": "None", "local['y']": "None", "local['z']": "None" };

export const session: Domain = {
  name: "session",
  summary: "a user with local copies of remote values",
  start: [
    ["user", ["None"]],
    ["local['x']", ["None"]],
    ["local['y']", ["None"]],
    ["local['z']", ["None"]],
    ["remote['x']", numbers],
    ["remote['y']", numbers],
    ["remote['z']", numbers],
    ["r", ["None"]],
  ],
  values: ["None", "'ann'", "'bob'", ...numbers],
  apis: [
    {
      name: "login",
      words: "begins a session of ann or bob; only where there is none",
      parameters: [{ name: "name", values: ["'ann'", "'bob'"] }],
      refuses: (read) => (read("user") === "None" ? undefined : "RuntimeError"),
      effect: (_, name) => ({ user: name }),
    },
    {
      name: "logout",
      words: "ends the session; local copies are gone",
      parameters: [],
      refuses: (read) => (read("user") === "None" ? "PermissionError" : undefined),
      effect: () => ({ user: "None", ...nothing }),
    },
    {
      name: "pull",
      words: "copies a remote value; needs a session",
      parameters: [keys],
      refuses: (read) => (read("user") === "None" ? "PermissionError" : undefined),
      effect: (read, key) => ({ [local(key)]: read(remote(key)) }),
    },
    {
      name: "push",
      words: "writes a local copy back; ann alone may",
      parameters: [keys],
      refuses: (read, key) =>
        read("user") !== "'ann'" ? "PermissionError" : read(local(key)) === "None" ? "KeyError" : undefined,
      effect: (read, key) => ({ [remote(key)]: read(local(key)) }),
    },
    {
      name: "put",
      words: "sets a local copy to a number; needs a session",
      parameters: [keys, { name: "value", values: [...numbers, "r"] }],
      refuses: (read, _, value) =>
        read("user") === "None" ? "PermissionError" : value === "None" ? "TypeError" : undefined,
      effect: (_, key, value) => ({ [local(key)]: value }),
    },
    {
      name: "add",
      words: "adds the local copy of other to that of key, mod 4",
      parameters: [keys, { ...keys, name: "other" }],
      refuses: (read, key, other) =>
        read(local(key)) === "None" || read(local(other)) === "None" ? "KeyError" : undefined,
      effect: (read, key, other) => ({
        [local(key)]: String((Number(read(local(key))) + Number(read(local(other)))) % 4),
      }),
    },
    {
      name: "get",
      words: "gives a local copy",
      parameters: [keys],
      refuses: (read, key) => (read(local(key)) === "None" ? "KeyError" : undefined),
      effect: () => ({}),
      result: (read, key) => read(local(key)),
    },
  ],
  python: `user = None
local = {'x': None, 'y': None, 'z': None}
remote = {'x': 0, 'y': 0, 'z': 0}
r = None

def login(name):
    global user
    if user is not None:
        raise RuntimeError('somebody is logged in')
    user = name

def needs_session():
    if user is None:
        raise PermissionError('nobody is logged in')

def logout():
    global user
    needs_session()
    user = None
    local.update(x=None, y=None, z=None)

def pull(key):
    needs_session()
    local[key] = remote[key]

def push(key):
    if user != 'ann':
        raise PermissionError('ann alone may push')
    remote[key] = copy_of(key)

def copy_of(key):
    if local[key] is None:
        raise KeyError(key)
    return local[key]

def put(key, value):
    needs_session()
    if value is None:
        raise TypeError('a number is needed')
    local[key] = value

def add(key, other):
    local[key] = (copy_of(key) + copy_of(other)) % 4

def get(key):
    return copy_of(key)
`,
};
