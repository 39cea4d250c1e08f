"""The registers of a part that stands still, as text for whoever has to find out why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdl.registers import load

if TYPE_CHECKING:
    from model.host.host import Host


async def register_texts(host: Host, mac: str) -> list[str]:
    """Each register of `mac` that does not read 0, fields by name.

    Reading clears causes and counters: only for a run that is over.
    """
    texts = []
    for register in load(mac):
        if register.alias_of is not None or not any(field.readable for field in register.fields):
            continue
        value = await host.read32(register.offset)
        if value:
            fields = ", ".join(f"{field.name}={field.extract(value)}" for field in register.fields
                               if field.readable and field.extract(value))
            texts.append(f"{register.name} {value:#x} ({fields})")
    return texts
