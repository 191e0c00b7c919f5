from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    tags: list = field(default_factory=list)


def f(name):
    item = Item(name)
    item.tags.append("new")
    return item.name, item.tags
# call: f("a")
# exchange: f("b")
