"""The receive filter engine: receive-side scaling, and the address filter as the kernel's rx mode sets it.

Ref: lan743x_rfe_open, lan743x_rfe_set_multicast, lan743x_dp_write; sheet section 3.
"""

from __future__ import annotations

from model.drivers.lan743x.registers import MAP, Registers, bits

RSS_KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
"""The key with which hashes are published (Microsoft, "Verifying the RSS hash calculation"). The driver
writes neither a key nor the table: here they stand for reset values that nobody published (A)."""
RSS_ENTRIES = 128
ALL_HOSTS = bytes.fromhex("01005e000001")
"""224.0.0.1, which every IPv4 interface joins: it is why the perfect filter is on."""
RFE_RAM, HASH_ADDRESS, HASH_WORDS = 1, 128, 16


async def open_rss(registers: Registers, channels: int) -> None:
    """Every kind of hash on, as the driver has it for any number of channels; with more than one, key and
    table too, which spread the flows over them in turn."""
    if channels > 1:
        await _write_key_and_table(registers, channels)
    await registers.write("RFE_RSS_CFG", sum(field.mask for field in MAP["RFE_RSS_CFG"].fields))


async def _write_key_and_table(registers: Registers, channels: int) -> None:
    for number in range(len(RSS_KEY) // 4):
        await registers.write(f"RFE_HASH_KEY{number}",
                              int.from_bytes(RSS_KEY[4 * number:4 * number + 4], "little"))
    table = bytes(entry % channels for entry in range(RSS_ENTRIES))
    for number in range(RSS_ENTRIES // 4):
        await registers.write(f"RFE_INDX{number}", int.from_bytes(table[4 * number:4 * number + 4], "little"))


async def set_rx_mode(registers: Registers) -> None:
    """Broadcasts, the own address, and the one group that is joined."""
    value = await registers.read("RFE_CTL")
    value &= ~bits("RFE_CTL", "AU", "AM", "MCAST_HASH")
    value |= bits("RFE_CTL", "AB", "DA_PERFECT")
    await registers.write("RFE_ADDR_FILT_HI1", 0)
    await registers.write("RFE_ADDR_FILT_LO1", int.from_bytes(ALL_HOSTS[:4], "little"))
    await registers.write("RFE_ADDR_FILT_HI1", MAP.pack("RFE_ADDR_FILT_HI1", VALID=1,
                                                        ADDRESS=int.from_bytes(ALL_HOSTS[4:], "little")))
    await _write_hash(registers, [0] * HASH_WORDS)
    await registers.write("RFE_CTL", value)


async def _write_hash(registers: Registers, words: list[int]) -> None:
    ready = bits("DP_SEL", "DPRDY")
    await registers.wait_for("DP_SEL", ready, ready)
    await registers.write("DP_SEL", MAP.pack("DP_SEL", base=await registers.read("DP_SEL"), SELECT=RFE_RAM))
    for place, word in enumerate(words):
        await registers.write("DP_ADDR", HASH_ADDRESS + place)
        await registers.write("DP_DATA_0", word)
        await registers.write("DP_CMD", bits("DP_CMD", "WRITE"))
        await registers.wait_for("DP_SEL", ready, ready)
