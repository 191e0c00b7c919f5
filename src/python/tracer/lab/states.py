"""The states of a run in order: texts of one state are reused for the next, and only changed values are rewritten.

    xs = [1, 2]       take([("xs", xs)])    names ("xs",), texts ["[1, 2]"]
    xs.append(3)      take([("xs", xs)])    of all that is reached from xs, xs itself alone is written again

Changes of a container are detected by the identities of its members, in C: no code of the program runs. The members of a long
container are written in blocks. A block whose objects are reachable only through it is closed: everything reachable from it is
checked at once, and rewritten only if it has changed. Closed blocks of one container that have long been the same are checked
together, as bytes if they hold numbers and short texts alone. The texts are
those of `lab.values.write_texts`, which rewrites everything, and which is used for states that a limit may cut.

Objects that are kept live some states longer. If a program could notice (`lab.program.scan`: finalizers, weak references, generators that
clean up) the states are `careful` and keep nothing.
"""

# Built-in functions replaced by a program must not change its record.
from builtins import BaseException, ValueError, all, any, bool, bytearray, bytes, dict, float, frozenset, int, len, list, map, max, set, str, sum, tuple, type, zip
from _blake2 import blake2b
from collections import OrderedDict, deque
from itertools import chain, islice
import types
from marshal import dumps
from operator import is_

from lab.guard import heard
from lab.probes import unseen
from lab.library import arguments_of
from lab.script import MAIN
from lab.values import DATA, Writer, bases_of, dictionary_of, fields_of, identity, write_texts

KEPT = 4
"""An object that so many states have not shown is forgotten."""
BLOCK = 32
"""Number of members of a long container that are written together."""
REST = 16
"""Number of states that are rewritten as a whole after one that a limit cut."""
GROUPED = 8
"""Number of states after which closed blocks that have not changed are grouped."""
ATOMS = frozenset(map(identity, (type(None), bool, int, float, str, bytes)))


class Cut(Exception):
    """A bound may cut the state."""


class Again(Exception):
    """An object omitted as reachable only through its block is also reachable otherwise: the state is taken again."""


class Place:
    """A variable, or an object that can be reached twice: its text in pieces, between which stand the objects inside it."""

    __slots__ = ("value", "write", "members", "length", "pieces", "inside", "deepest", "weight", "cut", "steady", "text", "turn", "label", "told", "latest", "built", "checked", "block", "blocks", "group")

    def __init__(self, value, write, turn):
        self.value, self.write, self.turn = value, write, turn
        self.members = self.text = self.group = None
        self.label = self.told = self.latest = self.built = self.checked = 0
        self.steady = False
        self.block = None  # the closed block that it is reached through
        self.blocks = ()


class Block(Place):
    """Some members of a long container, in a row; they are the same as long as it is."""

    __slots__ = ("closed",)

    def __init__(self, value, write, states):
        Place.__init__(self, value, write, states.turn - 1)
        self.closed = None
        states.write(self)


class Members:
    """Lists, dictionaries and objects, and what they were made of, side by side, to be compared in C."""

    __slots__ = ("children", "lists", "items", "dicts", "keys", "values", "lengths", "objects", "fields", "others", "written")

    def __init__(self, parts=()):
        self.lists, self.dicts, self.others, self.children = [
            list(chain.from_iterable(each)) for each in zip(*[(part.lists, part.dicts, part.others, part.children) for part in parts])
        ] or ([], [], [], [])
        self.objects = {}
        for part in parts:
            for kind, (getter, values) in part.objects.items():
                self.objects.setdefault(kind, (getter, []))[1].extend(values)

    def finish(self):
        self.fields = self.fields_now()
        dicts = [*self.dicts, *self.fields]
        self.items = list(chain.from_iterable(self.lists))
        self.keys = list(chain.from_iterable(dicts))
        self.values = list(chain.from_iterable(map(values_of, dicts)))
        self.lengths = [*map(len, self.lists), *map(len, dicts)]
        simple = all([ATOMS.issuperset(map(identity, map(type, held))) for held in (self.items, self.keys, self.values)])
        self.written = self.bytes() if simple else None

    def fields_now(self):
        return [*chain.from_iterable([map(getter, values) for getter, values in self.objects.values()])]

    def bytes(self):
        """The members one after the other; None where they are no numbers and short texts, and where the program listens to what is called."""
        if heard["hooks"]:
            return None
        try:
            written = dumps([self.lists, self.dicts, self.fields_now()], 2)
        except ValueError:
            return None
        return written if len(written) < 50 * len(self.lengths) else None

    def same(self, states):
        written = None if self.written is None else self.bytes()
        return (
            (self.identical() if written is None else written == self.written)
            and all(map(states.unchanged, self.others))
            and all([child.closed.same(states) for child in self.children])
        )

    def identical(self):
        dicts = [*self.dicts, *self.fields_now()]
        return (
            all(map(is_, dicts, chain(self.dicts, self.fields)))
            and [*map(len, self.lists), *map(len, dicts)] == self.lengths
            and all(map(is_, chain.from_iterable(self.lists), self.items))
            and all(map(is_, chain.from_iterable(dicts), self.keys))
            and all(map(is_, chain.from_iterable(map(values_of, dicts)), self.values))
        )


class Closed(Members):
    """All that is reached from a block, and from nowhere else."""

    __slots__ = ("places", "count", "weight", "deepest", "cut")

    def __init__(self, block):
        Members.__init__(self)
        self.places = []
        self.weight, self.deepest, self.cut, self.count = block.weight, block.deepest, block.cut, 0

    def add(self, place, depth, getter):
        self.places.append(place)
        part, value = place, place.value
        kind = type(value)
        if type(place) is Block and place.closed is not None:
            self.children.append(place)
            part = place.closed
            self.count += part.count
        elif type(place) is not Block:
            self.count += 1
            if getter is not None:
                self.objects.setdefault(identity(kind), (getter, []))[1].append(value)
            elif kind is list and len(value) <= BLOCK:
                self.lists.append(value)
            elif kind is dict and len(value) <= BLOCK:
                self.dicts.append(value)
            else:
                self.others.append(place)
        self.weight += part.weight
        self.deepest = max(self.deepest, depth + part.deepest)
        self.cut = self.cut or part.cut
        return part is place


class Group(Members):
    """Closed blocks of one container."""

    __slots__ = ("blocks", "parts", "count", "weight", "deepest", "cut")

    def __init__(self, blocks, depths):
        self.blocks, self.parts = blocks, [block.closed for block in blocks]
        Members.__init__(self, self.parts)
        self.finish()
        self.count, self.weight = sum([part.count for part in self.parts]), sum([part.weight for part in self.parts])
        self.deepest = max([depths[block] + part.deepest for block, part in zip(blocks, self.parts)])
        self.cut = any([part.cut for part in self.parts])

    def visit(self, states, depth):
        for block in self.blocks:
            block.turn, block.checked = states.turn, states.moment
        states.pass_over(self, depth)

    def same(self, states):
        return all([block.closed is part for block, part in zip(self.blocks, self.parts)]) and Members.same(self, states)


values_of = dict.values


class Pieces(Writer):
    """Writes one object and leaves out those inside it."""

    __slots__ = ("states", "inside", "deepest", "steady", "old", "blocks")

    def __init__(self, states, old=()):
        Writer.__init__(self, states.bounds)
        self.states, self.inside, self.deepest, self.steady = states, [], 0, True
        self.old, self.blocks = old, []

    def shared(self, write, value, depth):
        if self.labelled:
            place = self.states.place(value, write)
            self.inside.append((place, depth))
            self.out.append(place)
        else:
            self.steady = False  # inside of a set, where members have no position
            write(self, value, depth)

    def room(self, depth):
        if depth > self.deepest:
            if depth >= self.bounds.depth:
                raise Cut
            self.deepest = depth
        return self.bounds.items

    def sequence(self, opening, members, length, depth, closing):
        room = self.room(depth)
        if length <= BLOCK or room == 0 or not self.labelled:
            Writer.sequence(self, opening, members, length, depth, closing)
            return
        self.out.append(opening)
        shown = tuple(islice(members, room))
        self.write_blocks(write_items, [(shown[i : i + BLOCK],) for i in range(0, len(shown), BLOCK)], depth)
        self.rest(length - len(shown), closing)

    def dict(self, value, depth, pairs=None):
        room = self.room(depth)
        length = dict.__len__(value)
        if length <= BLOCK or room == 0 or not self.labelled or pairs is not None:
            Writer.dict(self, value, depth, pairs)
            return
        self.out.append('{"dict":[')
        keys, values = tuple(islice(dict.keys(value), room)), tuple(islice(dict.values(value), room))
        parts = [(keys[i : i + BLOCK], values[i : i + BLOCK]) for i in range(0, len(keys), BLOCK)]
        self.write_blocks(write_pairs, parts, depth)
        self.rest(length - len(keys), "]}")

    def rest(self, count, closing):
        if count > 0:
            self.out.append(",")
            self.omit(count)
        self.out.append(closing)

    def write_blocks(self, write, parts, depth):
        """The blocks of a container; those that it had before stay."""
        states, old = self.states, self.old
        for i, part in enumerate(parts):
            if i:
                self.out.append(",")
            at = len(self.blocks)
            block = old[at] if at < len(old) else None
            if block is None or block.write is not write or not alike(block.value, part):
                block = Block(part, write, states)
            self.blocks.append(block)
            self.inside.append((block, depth))
            self.out.append(block)

    def changes(self):
        self.steady = False

    def into(self, place):
        joined, texts = [], []
        for piece in self.out:
            if type(piece) is str:
                texts.append(piece)
            else:
                joined += ["".join(texts), piece]
                texts = []
        joined.append("".join(texts))
        place.pieces, place.inside, place.deepest, place.steady = joined, self.inside, self.deepest, self.steady
        place.weight, place.cut = self.bounds.parts - self.left, self.cut
        place.text = joined[0]
        place.latest, place.built = self.states.turn, 0
        place.blocks = self.blocks


def alike(before, now):
    return all([len(a) == len(b) and all(map(is_, a, b)) for a, b in zip(before, now)])


def write_items(pieces, parts, depth):
    for count, member in enumerate(parts[0]):
        if count:
            pieces.out.append(",")
        pieces.left -= 1
        pieces.value(member, depth + 1)


def write_pairs(pieces, parts, depth):
    out = pieces.out
    for count, (key, item) in enumerate(zip(*parts)):
        out.append(",[" if count else "[")
        pieces.left -= 2
        pieces.value(key, depth + 1)
        out.append(",")
        pieces.value(item, depth + 1)
        out.append("]")


class States:
    def __init__(self, bounds, careful=False):
        self.bounds, self.careful = bounds, careful
        self.places, self.variables, self.digests = {}, {}, {}
        self.getters, self.loose = {}, []
        self.turn = self.labels = self.weight = self.seen = self.rest = self.moment = self.reset = 0
        self.cut = self.cut_now = self.labelled = False
        self.classes = heard["classes"]

    @unseen
    def take(self, pairs, still=False):
        """The names, the text of each variable, and a digest that tells this state from others. `still`: no code ran since the last one."""
        self.moment += not still
        names = tuple([name for name, _ in pairs])
        texts = None
        if self.rest > 0:
            self.rest -= 1
        elif not self.careful:
            try:
                while texts is None:
                    try:
                        texts = self.kept(pairs)
                    except Again:
                        pass
                self.cut = self.cut or self.cut_now
            except Cut:
                self.places, self.variables, self.rest = {}, {}, REST
        if texts is None:
            texts, cut = write_texts(pairs, self.bounds)
            self.cut = self.cut or cut
        return names, texts, self.digest(names, texts)

    def digest(self, names, texts):
        """128 bits: Python's hash has 32 in the embedded host, and with its seed collisions can be constructed."""
        whole = blake2b(digest_size=16)
        for name, text in zip(names, texts):
            known = self.digests.get(name)
            if known is None or known[0] is not text:
                known = self.digests[name] = text, blake2b(text.encode(), digest_size=16).digest()
            whole.update(b"%d:%b" % (len(name), name.encode("utf-8", "surrogatepass")) + known[1])
        return whole.hexdigest()

    def kept(self, pairs):
        if self.classes != heard["classes"]:  # an object of another class, or a class with another name, is written in another way
            self.classes, self.places, self.variables = heard["classes"], {}, {}
        self.turn += 1
        self.labels = self.weight = self.seen = 0
        self.cut_now = False
        self.loose = []
        found = [self.variable(name, value) for name, value in pairs]
        if self.weight >= self.bounds.parts:
            raise Cut
        if self.labelled != (self.labels > 0):
            self.labelled = self.labels > 0
            self.reset = self.turn  # in a cycle it is not known what changed later
        for block in self.loose:
            self.close(block)
        text = self.labelled_text if self.labelled else self.plain_text
        texts = list(map(text, found))
        stale = len(self.places) + len(self.variables) - self.seen - len(found)
        if self.turn % KEPT == 0 and stale > self.seen >> 4:
            self.forget()
        return texts

    def variable(self, name, value):
        place = self.variables.get(name)
        if place is None or place.value is not value or not place.steady:
            place = self.variables[name] = Place(value, Writer.value, 0)
            self.write(place)
        place.turn = self.turn
        self.enter(place, 0)
        return place

    def write(self, place):
        pieces = Pieces(self, place.blocks)
        place.write(pieces, place.value, 0)
        pieces.into(place)

    def enter(self, place, depth):
        """Counts what is written, visits what is inside, and notes when any of it changed last."""
        self.weight += place.weight
        if place.cut:
            self.cut_now = True
        if depth + place.deepest >= self.bounds.depth:
            raise Cut
        group = place.group
        if group is not None:
            if group.same(self):
                group.visit(self, depth)
            else:
                place.group = None
        for inside, further in place.inside:
            if type(inside) is Block and inside.turn == self.turn:
                continue
            latest = self.visit(inside, depth + further)
            if latest > place.latest:
                place.latest = latest
        if self.turn % GROUPED == 0 and place.blocks:
            self.group(place)
        return place.latest

    def group(self, place):
        before = self.turn - GROUPED
        blocks = [block for block in place.blocks if block.closed is not None and block.latest < before]
        if place.group is None or place.group.blocks != blocks:
            place.group = Group(blocks, dict(place.inside)) if len(blocks) > 1 else None

    def visit(self, place, depth):
        turn = self.turn
        if place.turn == turn:
            if place.label == 0:
                self.labels += 1
                place.label = self.labels
            return place.latest
        if place.block is not None:
            self.open(place.block)
        place.turn, place.label = turn, 0
        if type(place) is Block:
            return self.visit_block(place, depth)
        self.seen += 1
        if not self.same(place):
            self.write(place)
        return self.enter(place, depth)

    def visit_block(self, block, depth):
        closed = block.closed
        if closed is not None:
            if block.checked == self.moment or closed.same(self):
                block.checked = self.moment
                self.pass_over(closed, depth)
                return block.latest
            self.loosen(block)
        if not block.steady:
            self.write(block)
        self.loose.append(block)
        return self.enter(block, depth)

    def pass_over(self, closed, depth):
        """Counts what is inside without a visit."""
        self.seen += closed.count
        self.weight += closed.weight
        self.cut_now = self.cut_now or closed.cut
        if depth + closed.deepest >= self.bounds.depth:
            raise Cut

    def loosen(self, block):
        for place in block.closed.places:
            place.block = None
        block.closed = None

    def open(self, block):
        """Something inside of the block, or of the block around it, is reached on another way."""
        visited = False
        while block is not None:
            around = block.block
            if block.closed is not None:
                visited = visited or block.turn == self.turn
                self.loosen(block)
            block = around
        if visited:
            raise Again

    def close(self, block):
        """After a state: closes a block from which nothing is reachable that has a label, or that changes undetectably."""
        if block.latest == self.turn or not block.steady:
            return
        turn, closed = self.turn, Closed(block)
        waiting = list(block.inside)
        for place, depth in waiting:
            if place.turn != turn or place.label or place.block is not None or not place.steady:
                return
            getter = None if type(place) is Block else self.getter(type(place.value))
            if getter is not None and type(getter(place.value)) is not dict:
                return
            if closed.add(place, depth, getter):
                waiting += [(inner, depth + further) for inner, further in place.inside]
        closed.finish()
        for place in closed.places:
            place.block, place.built = block, 0
        block.closed, block.built, block.checked = closed, 0, self.moment

    def getter(self, kind):
        """The function that returns the fields of an object of the program, if they alone determine its text; None for other types."""
        known = self.getters.get(identity(kind))
        if known is None or known[0] is not kind:
            known = self.getters[identity(kind)] = kind, getter_of(kind)
        return known[1]

    def place(self, value, write):
        place = self.places.get(identity(value))
        if place is None:
            place = self.places[identity(value)] = Place(value, write, self.turn - 1)
        return place

    def same(self, place):
        """Whether the object has the members that it had; notes those that it has."""
        value, members = place.value, place.members
        if place.checked == self.moment:
            return place.steady
        place.checked = self.moment
        kind = type(value)
        if kind is list or kind is set or kind is deque:
            if members is not None and len(value) == place.length and all(map(is_, value, members)):
                return place.steady
            place.members = tuple(islice(value, self.bounds.items))
        elif kind is bytearray:
            place.members = bytes(value)
            return members == place.members
        elif kind is dict or self.getter(kind) is not None:
            if kind is not dict:
                value = self.getter(kind)(value)
                if type(value) is not dict:
                    place.members = None
                    return False
            if members is not None and len(value) == place.length:
                keys, items = members
                if all(map(is_, value, keys)) and all(map(is_, value.values(), items)):
                    return place.steady
            most = self.bounds.items
            place.members = tuple(islice(value, most)), tuple(islice(value.values(), most))
        else:
            now = place.members = members_of(value)
            return members is not None and len(now) == len(members) and all(map(is_, now, members)) and place.steady
        place.length = len(value)
        return False

    def unchanged(self, place):
        """Inside of a closed block: where it has changed the visit that follows finds so, too."""
        if self.same(place):
            return True
        place.members, place.checked = None, 0
        return False

    def plain_text(self, place):
        if place.inside and (place.built < place.latest or place.built < self.reset and not (type(place) is Block and place.closed)):
            text = self.plain_text
            place.text = "".join([piece if type(piece) is str else text(piece) for piece in place.pieces])
            place.built = self.turn
        return place.text

    def labelled_text(self, place):
        """Like `lab.values.Writer`: an object that is reached twice has a label, and is written once."""
        if place.told == self.turn and place.label:
            return '{"ref":%d}' % place.label
        if type(place) is Block and place.closed is not None:
            return self.plain_text(place)
        place.told = self.turn
        if place.inside:
            text = self.labelled_text
            whole = "".join([piece if type(piece) is str else text(piece) for piece in place.pieces])
        else:
            whole = place.pieces[0]
        return '{"id":%d,"is":%s}' % (place.label, whole) if place.label else whole

    def forget(self):
        oldest = self.turn - KEPT
        for kept in (self.places, self.variables):
            for key in [key for key, place in kept.items() if place.turn < oldest and not in_block(place, oldest)]:
                del kept[key]


def in_block(place, oldest):
    block = place.block
    while block is not None and block.block is not None:
        block = block.block
    return block is not None and block.turn >= oldest


def getter_of(kind):
    bases = bases_of(kind)
    own = [base for base in bases if dictionary_of(base).get("__module__") is MAIN]
    if type(kind) is not type or kind not in own or any(type(base) is type and base in DATA for base in bases):
        return None
    if any(type(member) is types.MemberDescriptorType for base in own for member in dictionary_of(base).values()):
        return None
    holders = [dictionary_of(base)["__dict__"] for base in bases if "__dict__" in dictionary_of(base)]
    return holders[0].__get__ if holders and type(holders[0]) is types.GetSetDescriptorType else None


def members_of(value):
    """The parts of the text of an object whose class is not built in."""
    kind = type(value)
    bases = bases_of(kind)
    members = []
    for base in bases:
        if type(base) is type and base in DATA:
            if base is dict:
                members += dict.keys(value)
                members += dict.values(value)
            elif base in MANY:
                members += base.__iter__(value)
            elif base is OrderedDict:
                members += OrderedDict.keys(value)
                members += OrderedDict.values(value)
            elif base is BaseException:
                members += arguments_of(value)
            break
    if dictionary_of(kind).get("__module__") is MAIN:
        for pair in fields_of(value, bases):
            members += pair
    return members


MANY = (list, set, frozenset, tuple, deque)
