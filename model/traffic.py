"""Traffic programs: the frames that the stack hands in, the frames that the wire plays, and in which cycle
each passes.

A program depends on the scenario and its seed alone, so both worlds and both simulators get the same bytes.
"""

from dataclasses import dataclass

import numpy as np

from model import capture, flows, frames
from model.frames import FCS_BYTES, FrameSet
from model.scenario.schema import DESTINATIONS, Damage, Scenario, Span

BYTE_BITS, NIBBLE_BITS = 8, 4
PREAMBLE_NIBBLES = 16
"""15 nibbles of preamble and the SFD (MII: the SFD byte's low nibble looks like preamble): eight bytes."""
PEER = frames.address("02:00:00:00:00:02")
_MULTICAST = frames.address("01:00:5e:00:00:05")
_OTHER = frames.address("02:00:00:00:00:77")
_RUNT_BYTES = 40
(_TX_CONTENT, _RX_CONTENT, _TX_SIZE, _RX_SIZE, _RX_GAP, _RX_DESTINATION, _DAMAGE) = range(1, 8)


@dataclass(frozen=True)
class TxProgram:
    """Members: `frames` as handed to the driver, without FCS; `wire` the same as they have to leave;
    `ready_cycles` int64, earliest hand-in of each frame, counted from the end of bring-up."""

    frames: FrameSet
    wire: FrameSet
    ready_cycles: np.ndarray


@dataclass(frozen=True)
class RxProgram:
    """What the player plays.

    Members: `frames` as they are on the wire, with FCS; `gap_symbols` int64 idle before each; `odd` bool, one
    nibble 0x0 too many at the end; `rx_er_at` int64, byte at which rx_er is up, -1 for never; `addressed`
    bool, it is for the station's stack; `intact` bool, no damage that spoils it; `start_cycles`
    from the end of bring-up to the player's start; `symbol_bits` of the wire, 4 on MII, 8 on GMII; `flow`
    int64, frames of one flow keep their order, None: all of them do.
    """

    frames: FrameSet
    gap_symbols: np.ndarray
    odd: np.ndarray
    rx_er_at: np.ndarray
    addressed: np.ndarray
    intact: np.ndarray
    start_cycles: int
    symbol_bits: int = NIBBLE_BITS
    flow: np.ndarray | None = None

    def wanted(self) -> np.ndarray:
        """Ordinals of the frames that a receiver with room has to deliver."""
        return np.flatnonzero(self.addressed & self.intact)


@dataclass(frozen=True)
class RxSchedule:
    """Cycles (int64 per frame) in which the engine samples: `carrier` the first symbol of the preamble, `sfd`
    the last of the SFD, `end` the first idle symbol after the frame."""

    carrier: np.ndarray
    sfd: np.ndarray
    end: np.ndarray


def tx_program(scenario: Scenario, count: int | None = None) -> TxProgram | None:
    """The stack's side of a scenario, None if it has none.

    Parameters: `count` frames instead of the scenario's own number. BenchError for a capture that cannot be
    sent.
    """
    tx = scenario.tx
    if tx is None:
        return None
    count = count or tx.frames
    if tx.pcap is not None:
        sent, _ = capture.split(tx.pcap, scenario.station, scenario.mtu_bytes)
        handed = FrameSet.of(_repeat(sent, count))
    else:
        length = _draw(scenario.seed, _TX_SIZE, count, tx.size_bytes) - FCS_BYTES
        handed = frames.make_frames(length, np.frombuffer(PEER, np.uint8), frames.address(scenario.station),
                                    scenario.seed,
                                    _TX_CONTENT)
    wire = FrameSet.of([frames.wire_image(handed[n]) for n in range(len(handed))])
    return TxProgram(handed, wire, np.arange(len(handed), dtype=np.int64) * tx.interval_cycles)


def rx_program(scenario: Scenario, count: int | None = None) -> RxProgram | None:
    """The wire's side of a scenario, None if it has none; parameters and errors as for `tx_program`."""
    rx = scenario.rx
    if rx is None:
        return None
    count = count or rx.frames
    bare, addressed, flow = _received(scenario, count)
    count = len(bare)
    for pause in rx.pauses:
        if pause.frame < count:
            bare[pause.frame], addressed[pause.frame] = frames.pause(PEER, pause.quanta), False
    wire = [frames.wire_image(frame) for frame in bare]
    odd, intact = np.zeros(count, bool), np.ones(count, bool)
    rx_er_at = np.full(count, -1, np.int64)
    for damage in rx.damage:
        if damage.frame < count:
            wire[damage.frame] = _damaged(wire[damage.frame], damage, scenario)
            # an odd nibble after a right FCS costs nothing (IEEE 802.3: cut back to whole octets)
            intact[damage.frame] = damage.kind == "odd"
            odd[damage.frame] = damage.kind == "odd"
            if damage.kind == "rx_er":
                rx_er_at[damage.frame] = len(wire[damage.frame]) // 2
    per_byte = BYTE_BITS // scenario.symbol_bits
    gap = _draw(scenario.seed, _RX_GAP, count, rx.gap_bytes) * per_byte
    if rx.burst is not None:
        gap[rx.burst.frames::rx.burst.frames] = rx.burst.pause_bytes * per_byte
    return RxProgram(FrameSet.of(wire), gap, odd, rx_er_at, np.array(addressed, bool), intact,
                     rx.start_cycles, scenario.symbol_bits, flow)


def _received(scenario: Scenario, count: int | None) -> tuple[list[bytes], list[bool], np.ndarray | None]:
    """Frames without FCS that the wire plays, whether each is for the station, and the flow of each."""
    rx, station = scenario.rx, frames.address(scenario.station)
    if rx.pcap is not None:
        _, received = capture.split(rx.pcap, scenario.station, scenario.mtu_bytes)
        bare = _repeat(received, count)
        flow = flows.numbers(bare) if scenario.parameters.get("rx_channels", 1) > 1 else None
        return bare, [frame[:6] in (station, frames.BROADCAST) for frame in bare], flow
    kinds = _draw(scenario.seed, _RX_DESTINATION, count, Span(0, len(rx.destinations) - 1))
    table = dict(zip(DESTINATIONS, (station, frames.BROADCAST, _MULTICAST, _OTHER), strict=True))
    choices = np.array([list(table[name]) for name in rx.destinations], np.uint8)
    made = frames.make_frames(_draw(scenario.seed, _RX_SIZE, count, rx.size_bytes) - FCS_BYTES,
                              choices[kinds], PEER, scenario.seed, _RX_CONTENT)
    flow = None
    if rx.flows > 1:
        flow = np.arange(count, dtype=np.int64) % rx.flows
        made = flows.as_datagrams(made, flow)
    return ([made.bytes(n) for n in range(len(made))],
            [rx.destinations[kind] in ("station", "broadcast") for kind in kinds], flow)


def rx_schedule(program: RxProgram, start_cycle: int, tick_cycles: int = 2) -> RxSchedule:
    """When the engine sees each frame if the player is started on the falling edge of `start_cycle`.

    Ticks are the cycles whose number is `tick_cycles` - 1 modulo `tick_cycles`; on GMII, where it is 1, each
    cycle is one. The first tick after the start is idle symbol 1 of the first gap; a symbol is loaded at the
    end of one tick and sampled in the next.
    """
    first_tick = start_cycle + 1 + (tick_cycles - 2 - start_cycle) % tick_cycles
    preamble = preamble_symbols(program.symbol_bits)
    body = program.frames.length * (BYTE_BITS // program.symbol_bits) + program.odd
    whole = preamble + body
    loaded = np.cumsum(program.gap_symbols) + frames.starts(whole)
    cycle = first_tick + tick_cycles * loaded
    return RxSchedule(cycle + tick_cycles, cycle + tick_cycles * preamble, cycle + tick_cycles * (whole + 1))


def preamble_symbols(symbol_bits: int) -> int:
    """Symbols of preamble and SFD on a wire of `symbol_bits`."""
    return PREAMBLE_NIBBLES * NIBBLE_BITS // symbol_bits


def wire_period_cycles(frame_bytes: int, tick_cycles: int = 2, gap_bytes: int = 12,
                       symbol_bits: int = NIBBLE_BITS) -> int:
    """Cycles from one SFD to the next at the wire's limit for frames of `frame_bytes` with FCS, a symbol of
    `symbol_bits` every `tick_cycles`."""
    body = (frame_bytes + gap_bytes) * BYTE_BITS // symbol_bits
    return (preamble_symbols(symbol_bits) + body) * tick_cycles


def _draw(seed: int, purpose: int, count: int, span: Span) -> np.ndarray:
    if span.sweep:
        return span.low + np.arange(count, dtype=np.int64) % (span.high - span.low + 1)
    return frames.draw(seed, purpose, count, span.low, span.high)


def _repeat(captured: list[bytes], count: int | None) -> list[bytes]:
    """The capture's frames, from the start again if more are asked for than it has."""
    if count is None or not captured:
        return captured
    return [captured[n % len(captured)] for n in range(count)]


def _damaged(frame: bytes, damage: Damage, scenario: Scenario) -> bytes:
    bare = frame[:-FCS_BYTES]
    if damage.kind == "fcs":
        place = int(frames.draw(scenario.seed, _DAMAGE, damage.frame + 1, 0, len(bare) - 1)[-1])
        return frame[:place] + bytes([frame[place] ^ 0x01]) + frame[place + 1:]
    if damage.kind == "runt":
        bare = bare[:_RUNT_BYTES - FCS_BYTES]
    elif damage.kind == "long":
        bare = bare.ljust(scenario.receive_max_bytes + 1 - FCS_BYTES, b"\x5A")
    return bare + frames.fcs(bare)
