"""The receive poll of a8db76d40e4d: a buffer at a time, frames over several of them put together.

Ref: lan743x_rx_process_buffer, lan743x_rx_trim_skb; sheet section 7.
"""

from __future__ import annotations

from model.drivers.lan743x.rx import NOTHING, RECEIVED, ReceiveChannel
from model.drivers.lan743x.rx_ring import EXT, FS, LENGTH_LSB, LENGTH_MAX, LS, OWN, PAD_BYTES
from model.host.skb import Skb


class MultiBufferChannel(ReceiveChannel):
    """A receive channel whose poll counts buffers. The last one says how long the frame is; the part now and
    then fills one more than that takes, so all are chained whole and the chain is trimmed."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self._chain: Skb | None = None

    async def take(self) -> int:
        """Take the next buffer: NOTHING or RECEIVED."""
        ring, host = self.ring, self.host
        head, index = ring.head[0], self.next_entry
        host.charge("descriptor", 2)
        if head == index or head >= ring.size:
            return NOTHING
        data0 = ring.words[index * ring.stride]
        if not self.settings.check_own:
            data0 = data0 & ~OWN | (FS | LS if data0 & OWN else 0)
        if data0 & OWN:
            return NOTHING
        last = index
        if data0 & LS and data0 & EXT:
            last = index + 1 if index + 1 < ring.size else 0
            if last == head:
                return NOTHING
            host.charge("descriptor")
            following = ring.words[last * ring.stride]
            if self.settings.check_own and (following & OWN or not following & EXT):
                return NOTHING
        filled_bytes = ring.lengths[index]
        skb = await self._replace(index, data0)
        if skb is None:
            self.netdev.stats["rx_dropped"] += bool(data0 & FS)
            self._drop_chain()
        else:
            self._chain_up(skb, filled_bytes, data0)
        if last != index:
            self.timestamps += 1
            host.charge("descriptor", 2)
            await ring.reuse(last)
        if data0 & LS and self._chain is not None:
            await self._finish(data0 >> LENGTH_LSB & LENGTH_MAX)
        self.advance(last)
        return RECEIVED

    async def close(self) -> None:
        """As of every channel; a frame that was half there is freed."""
        await super().close()
        self._drop_chain(count=False)

    async def _replace(self, index: int, data0: int) -> Skb | None:
        """The buffer of an entry, which gets a new one; if there is none, the entry keeps what it has and
        None is returned."""
        ring = self.ring
        length = ring.buffer_bytes()
        new = ring.allocate(length)
        if new is None:
            await ring.reuse(index)
            return None
        address = await ring.map(new, length)    # before the old one is touched
        skb = ring.take_back(index, data0)
        await ring.store(index, new, address, length)
        return skb

    def _chain_up(self, skb: Skb, filled_bytes: int, data0: int) -> None:
        if data0 & FS:
            skb.length = filled_bytes - PAD_BYTES
            self._drop_chain()
            self._chain = skb
            return
        skb.data -= PAD_BYTES
        skb.length = filled_bytes
        if self._chain is None:      # the rest of a frame that was dropped
            self.netdev.rx_skbs.release(skb)
        else:
            self._chain.frag_list.append(skb)

    def _drop_chain(self, count: bool = True) -> None:
        if self._chain is not None:
            self.netdev.rx_skbs.release(self._chain)
            self.netdev.stats["rx_dropped"] += count
            self._chain = None

    async def _finish(self, frame_bytes: int) -> None:
        chain, self._chain = self._chain, None
        self.multi_buffer_frames += bool(chain.frag_list)
        kept_bytes = max(0, frame_bytes - self.settings.trim_fcs)
        skb = await self.netdev.rx_skbs.linearize(chain, kept_bytes)
        if skb is None:
            self.netdev.stats["rx_dropped"] += 1
        else:
            await self.hand_up(skb)
