"""One frame each way, with every cycle of the journey computed from the timing specification."""

import zlib

from tests.hdl.engines.at91ether.bench import LIST, REGISTERS, EngineBench, Event, fcs, first_tick

PACKET = bytes(7 * i + 3 & 255 for i in range(60))
BUFFER = 0x3000


def test_one_frame_out():
    bench = EngineBench()
    bench.memory.data[0x1002:0x1002 + 60] = PACKET
    bench.bring_up()
    c = bench.hand_over(30, 0x1002, 60)
    bench.run(480)

    assert bench.named("tx_queue") == [Event(c, "tx_queue", 0, 0x1002 | 60 << 32)]
    # x = c+1, WAIT and granted in c+2, handshake in a = c+3, four beats, the last in d = a+4
    d = c + 7
    t = first_tick(d + 1)

    def taken(byte: int) -> int:
        return t + 32 + 4 * byte

    # Four words in the FIFO of seven, and four more asked for as soon as one is freed: bytes 0 and 1 share
    # the first.
    asks = [c + 2] + [taken(1 + 16 * n) + 1 for n in range(3)]
    assert bench.named("tx_fetch") == [
        Event(w + 1, "tx_fetch", 0, 0x1000 + 16 * n | 4 << 32) for n, w in enumerate(asks)]
    assert bench.cycles("tx_fill") == [w + 1 + 4 for w in asks]
    assert bench.cycles("tx_sfd") == [t + 30]
    assert bench.named("tx_done") == [Event(taken(64), "tx_done", 0, zlib.crc32(PACKET) | 60 << 32)]
    assert bench.sent() == [(t, PACKET + fcs(PACKET))]


def test_one_frame_in():
    bench = EngineBench()
    frame = PACKET + fcs(PACKET)
    bench.entry(0, BUFFER, wrap=True)
    bench.bring_up(CAF=1, mask=REGISTERS.pack("ISR", RCOM=1))
    s = bench.receive(101, frame)
    bench.read(700, "ISR")
    bench.read(702, "RBQP")
    bench.read(704, "RSR")
    bench.read(706, "OK")
    bench.run(720)

    def complete(byte: int) -> int:
        return s + 4 + 4 * byte

    assert bench.named("rx_sfd") == [Event(s, "rx_sfd", 0)]
    # IDLE with the frame open in s+1, OWN and granted in s+2, handshake in s+3, data in s+4
    assert bench.named("rx_fetch") == [Event(s + 3, "rx_fetch", 0, LIST)]
    assert bench.named("rx_own") == [Event(s + 4, "rx_own", 0, BUFFER | 2)]
    # Word 3 of each four is pushed in b+1 and counts in b+2, which is when the burst is asked for.
    writes = [complete(16 * n + 15) + 2 for n in range(4)]
    assert bench.named("rx_write") == [
        Event(w + 1, "rx_write", 0, BUFFER + 16 * n | 4 << 32) for n, w in enumerate(writes)]
    e = complete(63) + 2
    assert bench.named("rx_end") == [Event(e + 1, "rx_end", 0, 64)]
    # beats in the four cycles after the handshake, response behind them, MOVE once more, then WB1 and WB0
    wb1 = writes[-1] + 1 + 4 + 1 + 1 + 1
    word1 = 64 | 1 << 27  # length, and "no match but CAF"
    assert bench.named("rx_wb1") == [Event(wb1 + 1, "rx_wb1", 0, word1)]
    wb0 = wb1 + 1 + 1 + 1 + 1
    assert bench.named("rx_wb0") == [Event(wb0 + 1, "rx_wb0", 0, BUFFER | 3)]
    done = wb0 + 3
    assert bench.named("rx_done") == [Event(done, "rx_done", 0, word1)]
    assert bench.named("irq_rise") == [Event(done + 1, "irq_rise", 0, REGISTERS.pack("ISR", RCOM=1))]
    assert bench.named("irq_fall") == [Event(701, "irq_fall", 0, 0)]
    assert bench.memory.data[BUFFER:BUFFER + 64] == frame
    assert (bench.word(LIST), bench.word(LIST + 4)) == (BUFFER | 3, word1)
    assert [value for _, value in bench.reads] == [
        REGISTERS.pack("ISR", RCOM=1), LIST, REGISTERS.pack("RSR", REC=1), 1]


def test_reception_wins_the_port_when_both_ask_in_one_cycle():
    """TCR in s: the sender's reader asks in s+2 for the first time, and so does the mover for word 0 of the
    entry."""
    bench = EngineBench()
    bench.entry(0, BUFFER, wrap=True)
    bench.bring_up(CAF=1)
    s = bench.receive(101, PACKET + fcs(PACKET))
    assert bench.hand_over(s - 2, 0x1000, 60) == s
    bench.run(s + 20)
    assert bench.cycles("rx_fetch") == [s + 3] and bench.cycles("rx_own") == [s + 4]
    assert bench.cycles("tx_fetch") == [s + 4 + 2]  # idle in d+1, granted there
