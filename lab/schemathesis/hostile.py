"""Puts what programs stumble over into bodies that are otherwise as the schema wants them. Loaded by Schemathesis, fuzzing only."""

import copy

import schemathesis
from hypothesis import strategies as st

TEXTS = [
    "\x00", "a\x00b", "\x1b[2J", "\r\n", "\ufeff", "\u202e", "__proto__", "constructor", "prototype",
    "../../etc/passwd", "--upload-pack=x", "$(id)", "'\"", "%00", "\U0010ffff", "\u0130" * 300, "x" * 200_000,
    # The encoder of JSON writes half of a surrogate pair as \ud800.
    "\ud800", "a\udfff",
]
NUMBERS = [1e-200, 1e300, -1e300, 2**53, 2**63, -(2**63), 10**400, -0.0, 5e-324, 0.1 + 0.2]
LISTS = [[], [[]] * 5_000, ["x"] * 60_000, [None], [{}] * 500]


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"a": value}
    return value


OBJECTS = [{}, {"__proto__": {"id": "x"}}, {"constructor": {"prototype": {}}}, nested(17), nested(400)]
HOSTILE = st.sampled_from([*TEXTS, *NUMBERS, *LISTS, *OBJECTS, None, True])


def places(value, path=()):
    """All places of a body, the body itself left out."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(children)[:40]:
        yield (*path, key)
        yield from places(child, (*path, key))


def put(body, path, value):
    body = copy.deepcopy(body)
    inner = body
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return body


@schemathesis.hook
def flatmap_body(context, body):
    del context
    if not isinstance(body, dict):
        return st.just(body)
    found = [*places(body), ("not_a_field",)]
    return st.tuples(st.sampled_from(found), HOSTILE).map(lambda pair: put(body, *pair))
