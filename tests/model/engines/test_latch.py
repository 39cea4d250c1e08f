"""Latched bits and counters against registers that live from edge to edge: a set survives a clear."""

from hypothesis import given, settings
from hypothesis import strategies as st

from model.engines.latch import Counters, Latch

CALM = settings(deadline=None, max_examples=150)
BITS = st.integers(0, 7)
CYCLE = st.fixed_dictionaries({
    "gap": st.integers(1, 3),
    "sets": st.lists(BITS, max_size=3),
    "clear": st.one_of(st.none(), BITS),
    "clear_after": st.integers(0, 3),
    "look": st.booleans(),
})


def in_order(cycle):
    """What falls in a cycle, in the order in which it is told: a clear among the sets."""
    told = [("set", bits) for bits in cycle["sets"]]
    if cycle["clear"] is not None:
        told.insert(min(cycle["clear_after"], len(told)), ("clear", cycle["clear"]))
    return told


def after(state, cycle, naive):
    """The register at the edge that ends a cycle, whatever the order in which things were told."""
    arriving = 0
    for bits in cycle["sets"]:
        arriving |= bits
    cleared = cycle["clear"] or 0
    return (state | arriving) & ~cleared if naive else state & ~cleared | arriving


@CALM
@given(st.lists(CYCLE, max_size=12), st.booleans())
def test_the_latch_is_a_register(cycles, naive):
    latch, state, now = Latch(naive), 0, 0
    for cycle in cycles:
        now += cycle["gap"]
        cleared = False
        for what, bits in in_order(cycle):
            if cycle["look"] and not cleared:   # one access a cycle: nobody looks after the clear
                assert latch.value(now) == state, "what falls in a cycle is not seen in it"
            getattr(latch, what)(bits, now)
            cleared |= what == "clear"
        state = after(state, cycle, naive)
    assert latch.value(now + 1) == state


def test_a_set_in_the_cycle_of_a_clear():
    """A cause that arrives while the register is read is kept, told before or after; the naive one loses
    it."""
    for told in (("set", "clear"), ("clear", "set")):
        for naive, left in ((False, 1), (True, 0)):
            latch = Latch(naive)
            latch.set(1, 9)
            assert latch.value(10) == 1
            for what in told:
                getattr(latch, what)(1, 10)
            assert latch.value(11) == left


def test_the_naive_latch_loses_only_what_was_cleared_and_only_in_that_cycle():
    latch = Latch(naive=True)
    latch.clear(0b01, 10)
    latch.set(0b11, 10)
    assert latch.value(11) == 0b10
    latch.set(0b01, 11)
    assert latch.value(12) == 0b11


COUNTED = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["add", "read", "clear", "all"]),
                             st.sampled_from("ab")), max_size=40)


@CALM
@given(COUNTED)
def test_counters_are_registers(steps):
    """Read-to-clear, saturating; one that arrives in the cycle of the read counts from then on."""
    limits = {"a": 3, "b": 200}
    counters = Counters(limits)
    state, arriving, cleared = dict.fromkeys(limits, 0), dict.fromkeys(limits, 0), set()
    now, stepped = 0, set()

    def edge():
        for name in limits:
            kept = 0 if name in cleared else state[name]
            state[name] = min(limits[name], kept + arriving[name])
            arriving[name] = 0
        cleared.clear()
        stepped.clear()

    for gap, what, name in steps:
        if gap:
            edge()
            now += gap
        if what == "add":
            arriving[name] += name not in stepped
            counters.add(name, now)
        elif what == "all":
            for each in limits:     # one step for all causes of a cycle
                arriving[each] = max(1, arriving[each])
            stepped |= set(limits)
            counters.add_all(now)
        elif what == "clear" and not cleared:
            cleared |= set(limits)
            counters.clear(now)
        elif what == "read" and name not in cleared:
            assert counters.read(name, now) == state[name]
            cleared.add(name)
    edge()
    assert {name: counters.read(name, now + 1) for name in limits} == state
