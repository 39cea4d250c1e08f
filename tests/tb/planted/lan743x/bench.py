"""What is planted in lan743x: four receive channels, so that the numbers of steering and of the order among
channels show too, and beside the FSMs the state machines that are plain registers."""

from tests.tb.planted.bench import Bench
from tests.tb.planted.lan743x.front import Hide
from tests.tb.planted.lan743x.script import RX_CHANNELS
from tests.tb.planted.lan743x.stimuli import STIMULI
from tests.tb.planted.registers import PlainRegister

REGISTERS = (
    PlainRegister("hdl.engines.lan743x.rx_mover", "RxMover", "state", "State", (
        "IDLE>CHECK", "NEXT>CHECK", "EXT>CHECK", "CHECK>MOVE", "CHECK>WB", "CHECK>IDLE", "CHECK>NEXT",
        "CHECK>EXT",
        "MOVE>FILL", "MOVE>IDLE", "FILL>WB", "FILL>IDLE", "WB>WRITE", "WB>IDLE", "WRITE>NEXT", "WRITE>EXT",
        "WRITE>IDLE", "NEXT>IDLE", "EXT>IDLE")),
    PlainRegister("hdl.engines.lan743x.prefetch", "Prefetcher", "busy"),
    PlainRegister("hdl.bus.read_port", "ReadPort", "free"),
    PlainRegister("hdl.bus.port", "DmaPort", "idle"),
    PlainRegister("hdl.mdio", "MdioManager", "busy"),
)

BENCH = Bench("lan743x", STIMULI, parameters={"rx_channels": RX_CHANNELS}, registers=REGISTERS, front=Hide())
