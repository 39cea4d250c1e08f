"""A stand-in for the lan743x engine: registers, rings, heads and messages, at fixed times.

It knows nothing of buses, prefetching or the wire. Written from the sheet, so that the driver can be tested
apart from the engines.
"""

from collections import deque

from model.kernel import EDGE, PHASES
from tests.model.drivers.lan743x_interrupts import MAP, Interrupts, mask

NAMES = {register.offset: register.name for register in MAP}
RX, TX = MAP.descriptor("rx_descriptor"), MAP.descriptor("tx_descriptor")
PHY = {1: 1 << 2, 10: 1 << 11, 5: 1 << 8}
"""BMSR with link, 1000BASE-T status with a partner of 1000FD, ability with 100FD."""
SET_AND_CLEAR = {f"{name}_{action}": (name, action) for name in ("INT_EN", "INT_VEC_EN", "DMAC_INT_EN")
                 for action in ("SET", "CLR")}
SELF_CLEARING = {"HW_CFG": "LRST", "PMT_CTL": "ETH_PHY_RST", "MAC_MII_ACC": "MII_BUSY", "MAC_CR": "CNTR_RST"}


class Channel:
    """A receive channel: its head, and the frames that wait for entries."""

    def __init__(self, number):
        self.number, self.head, self.waiting, self.part = number, 0, deque(), 0


class FakeLan743x(Interrupts):
    """Members: `log` of (cycle, "R" or "W", name, value); `sent` frames with `sent_cycle`; `values` of plain
    registers; `programme` of (cycles after the start, frame with FCS, channel); `starved` how often a frame
    waited for an entry; `accesses` rows for `dma_check`.

    Parameters: `moderation_cycles` between two messages of a vector; `tx_frame_cycles`; `rev_a0`;
    `extra_buffer`: the last 4 bytes go into a buffer of their own.
    """

    def __init__(self, moderation_cycles=200, tx_frame_cycles=100, rev_a0=False, extra_buffer=False,
                 silent=False):
        self.moderation_cycles, self.tx_frame_cycles = moderation_cycles, tx_frame_cycles
        self.rev_a0, self.extra_buffer, self.silent = rev_a0, extra_buffer, silent
        self.log, self.sent, self.sent_cycle, self.accesses, self.programme = [], [], [], [], []
        self.values = {register.name: register.reset for register in MAP}
        self.masks = dict.fromkeys(("INT_EN", "INT_VEC_EN", "DMAC_INT_EN"), 0)
        self.causes = 0
        self.sw_gp = False
        self.intx = False
        self.starved = 0
        self.rx = [Channel(number) for number in range(4)]
        self.tx_head = self.tx_reached = 0
        self.tx_busy = False
        self.next_message = [0] * 8
        self.started = None

    def attach(self, world):
        self.world, self.kernel = world, world.kernel

    # Registers.

    def csr_write(self, cycle, offset, value, strobe):
        name = NAMES[offset]
        self.log.append((cycle, "W", name, value))
        if name in SET_AND_CLEAR:
            which, action = SET_AND_CLEAR[name]
            self.masks[which] = self.masks[which] | value if action == "SET" else self.masks[which] & ~value
        elif name == "DMAC_INT_STS":
            self.causes &= ~value
        elif name == "INT_SET":
            self.sw_gp |= bool(value & mask("INT_SET", "SW_GP"))
        elif name == "INT_STS":
            self.sw_gp &= not value & mask("INT_STS", "SW_GP")
        elif name in ("FCT_RX_CTL", "FCT_TX_CTL"):
            self.fifo_control(name, value)
        elif name == "DMAC_CMD":
            self.command(value)
        elif name in ("MAC_RX", "MAC_TX"):
            self.mac(name, value)
        elif name == "PTP_CMD_CTL":
            self.values[name] = value & mask(name, "ENABLE")
        else:
            self.values[name] = value & ~(mask(name, SELF_CLEARING[name]) if name in SELF_CLEARING else 0)
        if name.endswith("_TAIL"):
            self.tail(cycle, name, value)
        self.update(cycle)

    def csr_read(self, cycle, offset):
        name = NAMES[offset]
        value = self.values[name]
        if name == "ID_REV" and self.rev_a0:
            value &= ~0xFFFF
        elif name in SET_AND_CLEAR:
            value = self.masks[SET_AND_CLEAR[name][0]]
        elif name == "DMAC_INT_STS":
            value = self.causes
        elif name in ("INT_STS", "INT_STS_R2C"):
            value = self.status()
            value |= mask("INT_STS", "MAS") if value & self.masks["INT_EN"] else 0
            if name == "INT_STS_R2C":
                self.read_to_clear(value)
                self.update(cycle)
        elif name == "MAC_MII_DATA":
            value = PHY.get(MAP.field("MAC_MII_ACC", "MIIRINDA").extract(self.values["MAC_MII_ACC"]), 0)
        self.log.append((cycle, "R", name, value))
        return value

    def fifo_control(self, name, value):
        on, off = MAP.field(name, "EN").extract(value), MAP.field(name, "DIS").extract(value)
        enabled = MAP.field(name, "EN").extract(self.values[name])
        self.values[name] = MAP.pack(name, EN=(enabled | on) & ~off)

    def command(self, value):
        values = MAP.unpack("DMAC_CMD", value)
        state = MAP.unpack("DMAC_CMD", self.values["DMAC_CMD"])
        for kind in "RT":
            reset = values[f"{kind}X_SWR"]
            state[f"START_{kind}"] = (state[f"START_{kind}"] | values[f"START_{kind}"]) & ~reset \
                & ~values[f"STOP_{kind}"]
            state[f"STOP_{kind}"] = (state[f"STOP_{kind}"] | values[f"STOP_{kind}"]) & ~reset \
                & ~values[f"START_{kind}"]
        for channel in self.rx:
            if values["RX_SWR"] >> channel.number & 1:
                channel.head = 0
        if values["TX_SWR"]:
            self.tx_head = self.tx_reached = 0
        state |= {"RX_SWR": 0, "TX_SWR": 0, "SWR": 0}
        self.values["DMAC_CMD"] = MAP.pack("DMAC_CMD", **state)

    def mac(self, name, value):
        enable, disabled = (mask(name, field) for field in (("RXEN", "RXD") if name == "MAC_RX"
                                                            else ("TXEN", "TXD")))
        old = self.values[name]
        flag = old & disabled & ~value
        if old & enable and not value & enable:
            flag = disabled
        self.values[name] = value & ~disabled | flag

    def running(self, kind, channel=0):
        return MAP.field("DMAC_CMD", f"START_{kind}").extract(self.values["DMAC_CMD"]) >> channel & 1

    def tail(self, cycle, name, value):
        kind, channel = name[:2], int(name[2])
        flags = {field.name: field.extract(value) for field in MAP[name].fields}
        if not self.rev_a0:
            if flags["SET_TOP_INT_EN"]:
                self.masks["INT_EN"] |= MAP.field("INT_STS", kind).place(1 << channel)
            if flags["SET_TOP_INT_VEC_EN"]:
                table = MAP.unpack("INT_VEC_MAP0" if kind == "RX" else "INT_VEC_MAP1",
                                   self.values["INT_VEC_MAP0" if kind == "RX" else "INT_VEC_MAP1"])
                self.masks["INT_VEC_EN"] |= 1 << table[f"{kind}{channel}"]
            if flags.get("SET_DMAC_INT_EN"):
                self.masks["DMAC_INT_EN"] |= mask("DMAC_INT_STS", "TX_IOC")
        self.values[name] = flags["INDEX"]
        if kind == "RX":
            self.fill(cycle, self.rx[channel])
        else:
            self.transmit(cycle)

    # Receiving.

    def wire_start(self, cycle):
        self.started = cycle
        for after, frame, *channel in self.programme:
            self.kernel.call_at(PHASES * (cycle + after) + EDGE, self.receive, cycle + after, frame,
                                channel[0] if channel else 0)

    def receive(self, cycle, frame, channel):
        enabled = MAP.field("FCT_RX_CTL", "EN").extract(self.values["FCT_RX_CTL"]) >> channel & 1
        limit = MAP.field("MAC_RX", "MAX_SIZE").extract(self.values["MAC_RX"])
        if self.values["MAC_RX"] & mask("MAC_RX", "RXEN") and enabled and len(frame) <= limit:
            self.rx[channel].waiting.append(frame)
            self.fill(cycle, self.rx[channel])
            self.update(cycle)

    def entry(self, name, index, descriptor):
        stride = 16 << MAP.field("DMAC_CFG", "MAX_DSPACE").extract(self.values["DMAC_CFG"])
        base = self.values[f"{name}_BASE_L"] + stride * index
        return self.world.mem[base:base + 16].view(descriptor.dtype)[0]

    def fill(self, cycle, channel):
        """Put waiting frames into buffers, an entry at a time."""
        name = f"RX{channel.number}"
        cfg_b = MAP.unpack(f"{name}_CFG_B", self.values[f"{name}_CFG_B"])
        while channel.waiting and self.running("R", channel.number):
            frame, done = channel.waiting[0], channel.part
            if channel.head == self.values[f"{name}_TAIL"]:
                self.starved += 1
                break
            entry = self.entry(name, channel.head, RX)
            if not RX.get(entry, "DATA0", "OWN"):
                break
            room = int(RX.get(entry, "DATA0", "BUF_LENGTH"))
            if done > len(frame) or (done == len(frame) and done):    # the extension entry
                self.write_back(channel, cfg_b, EXT=1, BUF_LENGTH=room, DATA1=cycle // 125_000_000,
                                DATA2=cycle * 8)
                self.finish(channel)
                continue
            start = int(entry["DATA1"]) + (cfg_b["PAD"] if not done else 0)
            size = min(len(frame) - done, room - (cfg_b["PAD"] if not done else 0))
            if self.extra_buffer and size == len(frame) - done and size > 4:
                size -= 4
            self.world.mem[start:start + size] = list(frame[done:done + size])
            self.accesses.append((cycle + 1, start, size, True))
            last = done + size == len(frame)
            stamped = bool(cfg_b["TS_ALL_RX"])
            self.write_back(channel, cfg_b, FS=not done, LS=last, BUF_LENGTH=room, EXT=last and stamped,
                            FRAME_LENGTH=len(frame) if last else 0)
            channel.part = done + size
            if last and not stamped:
                self.finish(channel)
        if self.values[f"{name}_HEAD_WB_L"]:
            self.write_head(f"{name}_HEAD_WB_L", channel.head)

    def write_back(self, channel, cfg_b, DATA1=0, DATA2=0, **fields):
        entry = self.entry(f"RX{channel.number}", channel.head, RX)
        entry["DATA0"] = RX["DATA0"].pack(**{name: int(value) for name, value in fields.items()})
        entry["DATA1"], entry["DATA2"], entry["DATA3"] = DATA1, DATA2 & 0x3FFF_FFFF, 0
        channel.head = (channel.head + 1) % cfg_b["RING_LEN"]

    def finish(self, channel):
        channel.waiting.popleft()
        channel.part = 0
        self.causes |= MAP.field("DMAC_INT_STS", "RXFRM").place(1 << channel.number)

    def write_head(self, register, head):
        address = self.values[register]
        self.world.mem[address:address + 4].view("<u4")[0] = head

    # Sending.

    def transmit(self, cycle):
        if not self.tx_busy and self.tx_reached != self.values["TX0_TAIL"] and self.running("T"):
            self.tx_busy = True
            end = cycle + self.tx_frame_cycles
            self.kernel.call_at(PHASES * end + EDGE, self.send, end)

    def send(self, cycle):
        ring = MAP.field("TX0_CFG_B", "RING_LEN").extract(self.values["TX0_CFG_B"])
        self.tx_busy = False
        frame, last, wanted = b"", False, False
        while not last and self.tx_reached != self.values["TX0_TAIL"]:
            entry = self.entry("TX0", self.tx_reached, TX)
            size, start = int(TX.get(entry, "DATA0", "BUF_LENGTH")), int(entry["DATA1"])
            assert bool(TX.get(entry, "DATA0", "FS")) == (not frame)
            frame += self.world.mem[start:start + size].tobytes()
            self.accesses.append((cycle + 1, start, size, False))
            last, wanted = bool(TX.get(entry, "DATA0", "LS")), bool(TX.get(entry, "DATA0", "IOC"))
            assert int(TX.get(entry, "DATA3", "FRAME_LENGTH_MSS")) >= len(frame)
            self.tx_reached = (self.tx_reached + 1) % ring
        assert last, "TX_TAIL was written in the midst of a frame"
        self.sent.append(frame)
        self.sent_cycle.append(cycle)
        self.tx_head = self.tx_reached
        self.write_head("TX0_HEAD_WB_L", self.tx_head)
        if wanted:
            self.causes |= mask("DMAC_INT_STS", "TX_IOC")
        self.update(cycle)
        self.transmit(cycle)
