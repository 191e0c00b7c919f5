"""The states of a run, one after another: what is written of one is kept for the next, and only what has changed is written anew.

    xs = [1, 2]       take([("xs", xs)])    names ("xs",), texts ["[1, 2]"]
    xs.append(3)      take([("xs", xs)])    of all that is reached from xs, xs itself alone is written again

Whether a container has changed is asked of the identities of its members, in C: no code of the program runs. The texts are
those of `lab.values.write_texts`, which writes everything anew, and to which a state falls back where a bound may cut it.

What is kept lives some states longer. Where a program could notice (`lab.scan`: finalizers, weak references, generators that
clean up) the states are `careful` and keep nothing.
"""

# What a program puts in the place of a built-in function must not change what is said of it.
from builtins import all, bytearray, bytes, dict, frozenset, len, list, map, set, str, tuple, type, zip
from _blake2 import blake2b
from collections import deque
from itertools import islice
from operator import is_

from lab.script import MAIN
from lab.values import DATA, SHARED, Writer, bases_of, dictionary_of, fields_of, identity, write_texts

KEPT = 4
"""An object that so many states have not shown is forgotten."""
REST = 16
"""So many states are written as a whole behind one that a bound cut."""


class Cut(Exception):
    """A bound may cut the state."""


class Place:
    """A variable, or an object that can be reached twice: its text in pieces, between which stand the objects inside it."""

    __slots__ = ("value", "write", "members", "length", "pieces", "inside", "deepest", "weight", "cut", "steady", "text", "turn", "label", "told", "latest", "built")

    def __init__(self, value, write, turn):
        self.value, self.write, self.turn = value, write, turn
        self.members = self.text = None
        self.label = self.told = self.latest = self.built = 0


class Pieces(Writer):
    """Writes one object and leaves out those inside it."""

    __slots__ = ("states", "inside", "deepest", "steady")

    def __init__(self, states):
        Writer.__init__(self, states.bounds)
        self.states, self.inside, self.deepest, self.steady = states, [], 0, True

    def shared(self, write, value, depth):
        if self.labelled:
            place = self.states.place(value, write)
            self.inside.append((place, depth))
            self.out.append(place)
        else:
            self.steady = False  # inside of a set, where nothing has a place of its own
            write(self, value, depth)

    def room(self, depth):
        if depth > self.deepest:
            if depth >= self.bounds.depth:
                raise Cut
            self.deepest = depth
        return self.bounds.items

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


class States:
    def __init__(self, bounds, careful=False):
        self.bounds, self.careful = bounds, careful
        self.places, self.variables, self.digests = {}, {}, {}
        self.turn = self.labels = self.weight = self.seen = self.rest = 0
        self.cut = self.cut_now = self.labelled = False

    def take(self, pairs):
        """The names, the text of each variable, and a digest that tells this state from others."""
        names = tuple([name for name, _ in pairs])
        texts = None
        if self.rest > 0:
            self.rest -= 1
        elif not self.careful:
            try:
                texts = self.kept(pairs)
                self.cut = self.cut or self.cut_now
            except Cut:
                self.places, self.variables, self.rest = {}, {}, REST
        if texts is None:
            texts, cut = write_texts(pairs, self.bounds)
            self.cut = self.cut or cut
        return names, texts, self.digest(names, texts)

    def digest(self, names, texts):
        """Of 128 bits: Python's own hash has 32 in the embedded host, and who knows its seed can make two texts of one hash."""
        whole = blake2b(digest_size=16)
        for name, text in zip(names, texts):
            known = self.digests.get(name)
            if known is None or known[0] is not text:
                known = self.digests[name] = text, blake2b(text.encode(), digest_size=16).digest()
            whole.update(b"%d:%b" % (len(name), name.encode("utf-8", "surrogatepass")) + known[1])
        return whole.hexdigest()

    def kept(self, pairs):
        self.turn += 1
        self.labels = self.weight = self.seen = 0
        self.cut_now = False
        found = [self.variable(name, value) for name, value in pairs]
        if self.weight >= self.bounds.parts:
            raise Cut
        if self.labelled != (self.labels > 0):
            self.labelled = self.labels > 0
            for kept in (self.places, self.variables):  # in a cycle it is not known what changed later
                for place in kept.values():
                    place.built = 0
        text = self.labelled_text if self.labelled else self.plain_text
        texts = list(map(text, found))
        if self.turn % KEPT == 0 and len(self.places) + len(self.variables) > self.seen + len(found):
            self.forget()
        return texts

    def variable(self, name, value):
        place = self.variables.get(name)
        if place is None or place.value is not value or not place.steady:
            place = self.variables[name] = Place(value, Writer.value, 0)
            pieces = Pieces(self)
            pieces.value(value, 0)
            pieces.into(place)
        place.turn = self.turn
        self.enter(place, 0)
        return place

    def enter(self, place, depth):
        """Counts what is written, visits what is inside, and notes when any of it changed last."""
        self.weight += place.weight
        if place.cut:
            self.cut_now = True
        if depth + place.deepest >= self.bounds.depth:
            raise Cut
        for inside, further in place.inside:
            latest = self.visit(inside, depth + further)
            if latest > place.latest:
                place.latest = latest
        return place.latest

    def visit(self, place, depth):
        turn = self.turn
        if place.turn == turn:
            if place.label == 0:
                self.labels += 1
                place.label = self.labels
            return place.latest
        place.turn, place.label = turn, 0
        self.seen += 1
        if not self.same(place):
            pieces = Pieces(self)
            place.write(pieces, place.value, 0)
            pieces.into(place)
        return self.enter(place, depth)

    def place(self, value, write):
        place = self.places.get(identity(value))
        if place is None:
            place = self.places[identity(value)] = Place(value, write, self.turn - 1)
        return place

    def same(self, place):
        """Whether the object has the members that it had; notes those that it has."""
        value, members = place.value, place.members
        kind = type(value)
        if kind is list or kind is set or kind is deque:
            if members is not None and len(value) == place.length and all(map(is_, value, members)):
                return place.steady
            place.members = tuple(islice(value, self.bounds.items))
        elif kind is dict:
            if members is not None and len(value) == place.length:
                keys, items = members
                if all(map(is_, value, keys)) and all(map(is_, value.values(), items)):
                    return place.steady
            most = self.bounds.items
            place.members = tuple(islice(value, most)), tuple(islice(value.values(), most))
        elif kind is bytearray:
            place.members = bytes(value)
            return members == place.members
        else:
            now = place.members = members_of(value)
            return members is not None and len(now) == len(members) and all(map(is_, now, members)) and place.steady
        place.length = len(value)
        return False

    def plain_text(self, place):
        if place.inside and place.built < place.latest:
            text = self.plain_text
            place.text = "".join([piece if type(piece) is str else text(piece) for piece in place.pieces])
            place.built = self.turn
        return place.text

    def labelled_text(self, place):
        """As `lab.values.Writer`: an object that is reached twice has a label, and stands once."""
        if place.told == self.turn and place.label:
            return '{"ref":%d}' % place.label
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
            for key in [key for key, place in kept.items() if place.turn < oldest]:
                del kept[key]


def members_of(value):
    """Of an object whose class is not built in: what its text is made of."""
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
            break
    if dictionary_of(kind).get("__module__") is MAIN:
        for pair in fields_of(value, bases):
            members += pair
    return members


MANY = (list, set, frozenset, tuple)
