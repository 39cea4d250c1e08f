"""What RX and TX channels share: the state that DMAC_CMD shows, SWR, head and its write-back
(docs/engines/lan743x.md, sections 6 and 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.kernel import STATE, Alarms

from .part import ENTRY, MAP, NEVER
from .prefetch import Prefetcher

if TYPE_CHECKING:
    from .engine import Engine

INITIAL, STOPPED, RUN, STOPPING = 0b00, 0b01, 0b10, 0b11
"""{START, STOP} as DMAC_CMD reads."""


class Channel:
    """Members: `state`; `swr`, the reset is pending; `head`; `pending` entries whose head has not been
    written; `flag_from`, the cycle from which the timer flag is up; `source`, `cause`: its bits in INT_STS
    and DMAC_INT_STS; `prefetcher`; and the fields of its registers as decoded."""

    prefix: str
    enable_field: str
    threshold_field: str
    timer_field: str

    def __init__(self, engine: Engine, number: int, source: int, cause: int, prefetcher: Prefetcher) -> None:
        self.engine, self.number = engine, number
        self.source, self.cause = source, cause
        self.prefetcher = prefetcher
        prefetcher.channel = self
        self.state = INITIAL
        self.swr = self.resetting = False
        self.head = self.pending = 0
        self.flag_from = NEVER
        self.flag_set_in = self.head_taken_in = -1
        self.condition = False   # of the timer flag, as last looked at
        self.wb_enable = self.wb_on_timer = self.select_ioc = False
        self.wb_thres = 1
        self.wb_address = 0
        self.long_bursts = False
        self.auto = dict.fromkeys(("TOP_INT_EN_AUTO_CLR", "INT_EN_R2C", "DMA_INT_STS_AUTO_CLR",
                                   "INT_STS_R2C_MODE", "DMA_INT_EN_AUTO_CLR"), 0)
        self.started_in = -1
        self.reset_in = -1   # the cycle in which SWR took effect last
        self.kick = Alarms(engine.kernel, STATE, self._wake).ask
        """Have the transitions of a cycle looked at: something they hang on has another value from then
        on."""

    # Steps: evaluated at the beginning of a cycle for which the channel was kicked.

    def _wake(self, cycle: int) -> None:
        self.resetting = self.swr and self.quiet(cycle)
        if self.resetting:
            self.engine.kernel.call_at(4 * cycle + 3, self._reset, cycle)
        self.step(cycle)

    def step(self, x: int) -> None:
        """The transitions of cycle *x*."""
        raise NotImplementedError

    def quiet(self, x: int) -> bool:
        """Whether SWR can take effect in *x*."""
        raise NotImplementedError

    def clear(self, x: int) -> None:
        """SWR takes effect in *x*: what the kind of channel has beyond the common."""
        raise NotImplementedError

    # Commands of a write of DMAC_CMD in cycle c.

    def start(self, c: int) -> None:
        """START without STOP."""
        self.started_in = c
        self._set_state(RUN)
        self.prefetcher.kick(c + 1)
        self.kick(c + 1)

    def stop(self, c: int) -> None:
        """STOP."""
        if self.state == RUN:
            self._set_state(STOPPING)
            self.kick(c + 1)

    def software_reset(self, c: int) -> None:
        """SWR."""
        self.swr = self.prefetcher.held = True
        self.kick(c + 1)

    def failed(self, d: int) -> None:
        """A read of the channel that ended in *d* failed: it stops."""
        if self.state == RUN:
            self._set_state(STOPPING)

    def set_stopped(self, x: int) -> None:
        """It has stopped in *x*: stopped from *x+1* on, or running if START is written in *x*."""
        if self.started_in != x:
            self._set_state(STOPPED)
        else:
            self.prefetcher.kick(x + 1)
            self.kick(x + 1)

    def _set_state(self, state: int) -> None:
        self.state = state
        self.prefetcher.running = state == RUN

    def _reset(self, x: int) -> None:
        if not self.swr:
            return
        self.reset_in = x
        self.swr = self.prefetcher.held = False
        self._set_state(INITIAL)
        self.head = self.pending = 0
        self.flag_from = NEVER
        self.prefetcher.reset()
        self.engine.registers.value[self.prefix + "TAIL"] = 0
        self.clear(x)
        self.engine.interrupts.look(x + 1)
        self.kick(x + 1)

    # Heads.

    def advance(self, entries: int, cycle: int) -> None:
        """HEAD moves at the edge that ends `cycle`."""
        size = self.prefetcher.ring_len or 1
        self.head = (self.head + entries) % size
        self.pending += entries
        self.engine.interrupts.look(cycle + 1)

    def owes(self, cycle: int) -> bool:
        """Whether in `cycle` entries are done that no head in memory tells of."""
        return self.wb_enable and (self.pending > 0 or self.head_taken_in == cycle)

    def configure(self, name: str, value: int, c: int) -> None:
        """Register `name` (without the channel's prefix) is written in *c* and has a new value."""
        register = self.prefix + name
        fields = MAP.unpack(register, value)
        prefetcher = self.prefetcher
        if name == "CFG_A":
            prefetcher.thres, prefetcher.pri_thres = fields["PF_THRES"], fields["PF_PRI_THRES"]
            self.wb_enable, self.wb_on_timer = bool(fields["HP_WB_EN"]), bool(fields[self.timer_field])
            self.wb_thres = fields[self.threshold_field] or 1
            self.select_ioc = bool(fields.get("TMR_HPWB_SEL_IOC", 1))
            prefetcher.kick(c + 1)
            self.engine.interrupts.look(c + 1)
        elif name == "CFG_B":
            prefetcher.ring_len = fields["RING_LEN"]
            self.long_bursts = bool(fields[self.enable_field]) and not self.engine.rev_a0
            self.configure_frames(fields)
        elif name == "BASE_L":
            prefetcher.base = value & ~(ENTRY - 1)
        elif name == "HEAD_WB_L":
            self.wb_address = value & ~3
        elif name == "CFG_C" and not self.engine.rev_a0:
            self.auto |= fields

    def configure_frames(self, fields: dict[str, int]) -> None:
        """CFG_B's fields that only one kind of channel has."""
