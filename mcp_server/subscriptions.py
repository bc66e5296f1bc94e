"""Tells clients when the content of a resource that they subscribed to has changed.

Since revision 2026-07-28 a client listens on a stream of its own, for as long as it likes; before,
it subscribed address by address and was told on the connection. Both end up here. While anybody is
subscribed the index's generation is looked at twice a second. Each address is read again only when
the generation has changed, and a client is told only of addresses whose content is another.
"""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import Any

import anyio
from anyio.to_thread import run_sync
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import ResourceUpdated

from satchel.mcp_server import resources
from satchel.mcp_server.serving import Serving, Stop
from satchel.store.errors import SatchelError, UsageError

_logger = logging.getLogger("satchel.mcp")
_LOOK_SECONDS = 0.5
_MAX_ADDRESSES = 256
"""Addresses that one client may watch at once: each is read after every change."""


class Subscriptions:
    """Who wants to hear about which address. Used on the event loop alone."""

    def __init__(self, serving: Serving, bus: InMemorySubscriptionBus) -> None:
        self._serving = serving
        self._bus = bus
        self._listening: Counter[str] = Counter()
        self._subscribed: dict[tuple[str, str], ServerSession] = {}
        self._told: dict[str, bytes] = {}
        """What each address read like when it was last looked at."""
        # No generation is negative, so the first look that succeeds reads every address.
        self._generation = -1

    @asynccontextmanager
    async def listening(self, addresses: tuple[str, ...]) -> AsyncIterator[None]:
        """For as long as a client listens; what changes is published on the bus.

        Raises:
            UsageError: these are too many, or one is no address of a resource.
        """
        new = self._newly_watched(addresses, before=())
        # Addresses are counted, since several clients may listen to the same one and end at
        # different times.
        self._listening.update(addresses)
        try:
            await self._read(new)
            yield
        finally:
            self._listening.subtract(addresses)
            # Adding an empty counter drops what has come down to zero; otherwise nobody's addresses
            # would be watched for ever.
            self._listening += Counter()

    async def subscribe(self, caller: str, session: ServerSession, address: str) -> None:
        """Tell `session` of changes; `caller` tells sessions apart and is not empty.

        Raises:
            UsageError: the caller cannot be told from others, it watches too much, or this is no
                address of a resource.
        """
        if not caller:
            raise UsageError("a request without a session cannot subscribe", "initialize first")
        # The bounds are checked before anything is kept, so a refusal leaves no trace.
        own = [watched for other, watched in self._subscribed if other == caller]
        new = self._newly_watched((address,), before=own)
        if not own:
            # The SDK has no other way to learn that a client of the older revisions is gone.
            session._connection.exit_stack.callback(self._forget, caller)
        self._subscribed[caller, address] = session
        await self._read(new)

    def unsubscribe(self, caller: str, address: str) -> None:
        """Stop telling; nothing happens where nobody was told."""
        self._subscribed.pop((caller, address), None)

    def _forget(self, caller: str) -> None:
        """Stop telling a caller whose connection has ended."""
        for other, address in list(self._subscribed):
            if other == caller:
                self.unsubscribe(caller, address)

    @asynccontextmanager
    async def lifespan(self, _server: object) -> AsyncIterator[dict[str, Any]]:
        """Watch for as long as a server runs."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch)
            yield {}
            group.cancel_scope.cancel()

    def _addresses(self) -> set[str]:
        return {*self._listening, *(address for _, address in self._subscribed)}

    def _newly_watched(self, more: tuple[str, ...], *, before: Iterable[str]) -> set[str]:
        """The addresses that nobody watches yet; `before` are what their client watches already.

        Raises:
            UsageError: these are too many, or one is no address of a resource.
        """
        for address in more:
            resources.check_address(address)
        if len({*before, *more}) > _MAX_ADDRESSES:
            raise UsageError(
                f"more than {_MAX_ADDRESSES} addresses are subscribed to", "unsubscribe some"
            )
        return set(more) - self._addresses()

    async def _read(self, addresses: Iterable[str]) -> None:
        """At once: a change counts from when somebody wants to hear of it."""
        for address in sorted(addresses):
            self._told[address] = await run_sync(_digest, self._serving, address)

    async def _watch(self) -> None:
        while True:
            await anyio.sleep(_LOOK_SECONDS)
            # Nobody is subscribed most of the time, and then the index is not opened at all.
            if not self._addresses():
                continue
            generation = await run_sync(_generation, self._serving, abandon_on_cancel=True)
            # The number alone is cheap to read, while each address is a whole answer.
            if generation != self._generation:
                self._generation = generation
                for address in sorted(self._addresses()):
                    await self._look(address)
                watched = self._addresses()
                # What nobody watches any more is forgotten, or the table would grow with each
                # client that comes and goes.
                self._told = {a: text for a, text in self._told.items() if a in watched}

    async def _look(self, address: str) -> None:
        read = await run_sync(_digest, self._serving, address, abandon_on_cancel=True)
        # An address that has not been read yet counts as unchanged, as it has nothing to differ
        # from.
        if read == self._told.get(address, read):
            return
        self._told[address] = read
        await self._bus.publish(ResourceUpdated(address))
        # The list is a copy, because a client that has gone is taken out while we go through it.
        for (caller, wanted), session in list(self._subscribed.items()):
            if wanted == address:
                try:
                    await session.send_resource_updated(address)
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    self.unsubscribe(caller, address)


def _generation(serving: Serving) -> int:
    try:
        with serving.project.snapshot() as snapshot:
            return snapshot.generation
    except (SatchelError, OSError) as error:  # an index that is being replaced
        _logger.debug("the generation cannot be read: %r", error)
    except Exception:  # raised here, it would end the server
        _logger.exception("the generation cannot be read")
    return -1


def _digest(serving: Serving, address: str) -> bytes:
    """What reading it gives, in short; what cannot be read reads like nothing."""
    text = ""
    try:
        text = resources.read(serving, address, Stop())
    except (SatchelError, OSError) as error:  # whoever reads it will hear why
        _logger.debug("%s cannot be read: %r", address, error)
    except Exception:  # raised here, it would end the server
        _logger.exception("%s cannot be read", address)
    if address.startswith(resources.SYMBOL_PREFIX):
        text = text.partition("\n")[2]  # the first line says which generation it is of
    # A digest is kept and not the text, because 256 whole files would be held in memory for
    # nothing.
    return blake2b(text.encode("utf-8", "surrogatepass")).digest()
