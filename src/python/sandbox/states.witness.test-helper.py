"""Random changes of nested, shared and cyclic values: `lab.states` must equal a complete rewrite of every state.

    states.witness.test-helper.py FOLDER SEEDS     prints {"states": ..., "cut": ..., "labelled": ...}, or the first difference
"""

import collections
import json
import random
import sys

sys.path.insert(0, sys.argv[1])
import lab.guard
import lab.states
from lab.changes import Changes, expanded
from lab.states import States
from lab.script import MAIN
from lab.values import Bounds, write_texts


class Fields:
    pass


class Slots:
    __slots__ = ("first",)


class Longer(list):
    pass


class Other:
    pass


class Further(Fields):
    pass


for kind in (Fields, Slots, Longer, Other, Further):
    kind.__module__ = MAIN

NAMES = "abcdef"
tally = collections.Counter()


class Changing:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.variables = {}

    def value(self, depth=0):
        choose = self.random.randrange
        kind = choose(20 if depth < 3 else 6)
        if kind < 4:
            return choose(5)
        if kind < 6:
            return ("text %d" % choose(9), 1.5, None, True, 2**70)[choose(5)]
        inside = [self.value(depth + 1) for _ in range(choose(5))]
        if kind < 8:
            return inside
        if kind == 8:
            return {choose(9): each for each in inside}
        if kind == 9:
            return tuple(inside)
        if kind == 10:
            return {choose(9), (1, choose(9)), frozenset([choose(3)])}
        if kind == 11:
            return collections.deque(inside)
        if kind in (12, 13):
            made = Fields() if kind == 12 else Slots()
            made.first = inside
            return made
        if kind == 14:
            return Longer(inside)
        if kind == 15:
            return collections.defaultdict(list, {1: inside})
        if kind == 16:
            return bytearray(b"ab")
        if kind == 17:
            return [self.simple() for _ in range(choose(80))]
        if kind == 18:
            return {key: self.simple() for key in range(choose(80))}
        return self.random.choice([*self.variables.values(), 3])

    def simple(self):
        """An object, a list or a dictionary of numbers and texts."""
        made, content = Fields(), [self.random.choice((1, True, 1.0, -0.0, 0.0, "a", "ab", None)) for _ in range(3)]
        made.first, made.second = content[:2]
        return self.random.choice((made, content, dict(zip("ab", content))))

    def reached(self):
        found, waiting = {}, list(self.variables.values())
        while waiting:
            value = waiting.pop()
            if id(value) in found:
                continue
            if isinstance(value, (list, set, dict, bytearray, collections.deque, Fields, Slots, Other)):
                found[id(value)] = value
            if isinstance(value, (list, tuple, collections.deque)):
                waiting.extend(value)
            elif isinstance(value, dict):
                waiting.extend(value.values())
            elif isinstance(value, (Fields, Slots, Other)):
                waiting.append(value.first)
        return list(found.values())

    def change(self):
        choose, name = self.random.randrange, self.random.choice(NAMES)
        reached = self.reached()
        if choose(10) < 3 or not reached:
            self.variables[name] = self.value()
            return
        if choose(10) == 0:
            self.variables.pop(name, None)
            return
        value = self.random.choice(reached)
        if isinstance(value, (list, collections.deque)):
            if value and choose(2):
                value[choose(len(value))] = self.value(2)
            elif value and choose(2):
                value.pop()
            else:
                value.append(self.value(2))
        elif isinstance(value, dict):
            value[choose(6)] = self.value(2)
            if choose(3) == 0:
                value.pop(self.random.choice(list(value)))
        elif isinstance(value, set):
            value.symmetric_difference_update([choose(9)])
        elif isinstance(value, bytearray):
            value.append(65)
        elif isinstance(value, Slots) or choose(3):
            value.first = self.value(2)
        else:
            self.change_object(value)

    def change_object(self, value):
        choose, fields = self.random.randrange, value.__dict__
        kind = choose(8)
        if kind == 0:
            value.__class__ = self.random.choice((Fields, Other, Further))
        elif kind == 1:
            value.__dict__ = dict(reversed(fields.items()))
        elif kind == 2:
            fields["third"] = fields.pop("second", 1)
        elif kind == 3:
            fields["second"] = fields.pop("third", True)
        elif kind == 4:
            Other.__name__ = Other.__qualname__ = self.random.choice(("Other", "Another"))
        elif kind == 5:
            value.__dict__ = collections.OrderedDict(fields)
        elif kind == 6:
            value.first = self.variables["f"] = value.first[:] if type(value.first) is list else [1]
        else:
            value.first = self.random.choice((1, True, 1.0, "a"))


def check(seed, bounds):
    changing, states, changes, lines = Changing(seed), States(bounds), Changes(10**9), []
    for step in range(100):
        changing.change()
        variables = changing.variables
        pairs = [(name, variables[name]) for name in NAMES if name in variables]
        if step % 10 == 0:
            pairs = pairs[:2]  # as where a call has begun or ended
        written, cut = write_texts(pairs, bounds)
        names, texts, _ = states.take(pairs)
        lines.append(changes.after(names, texts))
        if texts != written or expanded(lines) != dict(zip(names, written)):
            sys.exit(f"seed {seed}, state {step}: {written}\n{texts}\n{expanded(lines)}")
        tally.update(states=1, cut=cut, labelled='"id":' in "".join(written), kept=states.rest == 0)


def counted(same):
    def count(group, states):
        found = same(group, states)
        tally.update(grouped=1, packed=group.written is not None, agreed=found)
        return found

    return count


lab.guard.seal()
lab.states.Group.same = counted(lab.states.Group.same)
for seed in range(int(sys.argv[2])):
    lab.states.BLOCK = (1, 3, 32)[seed % 3]  # where containers are short, too
    lab.states.GROUPED = (1, 2, 8)[seed % 5 % 3]
    check(seed, Bounds() if seed % 2 else Bounds(3, 4, 25, 3) if seed % 4 else Bounds(24, 4, 200, 3))
print(json.dumps(tally))
