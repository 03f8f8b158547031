"""An event loop in a thread of its own, for callers that are not asynchronous.

Only an asynchronous request can be given up at a deadline whatever the other side does; a blocking one that
receives a byte now and then cannot.
"""

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class EventLoop:
    """Runs coroutines for any number of threads; the thread ends with the object.

    Args:
        at_end: Run last, to close what was opened in the loop.

    Example:
        >>> EventLoop().run(asyncio.sleep(0, "done"))
        'done'
    """

    def __init__(self, at_end: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        thread = threading.Thread(target=_serve, args=(self._loop, at_end), name="judge", daemon=True)
        thread.start()
        self._end = weakref.finalize(self, _stop, self._loop, thread)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return the coroutine's result.

        Raises what it raises, and `concurrent.futures.CancelledError` after `cancel`.
        """
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def cancel(self) -> None:
        """Cancel everything that runs now."""
        if self._end.alive:
            self._loop.call_soon_threadsafe(_cancel_all, self._loop)

    def close(self) -> None:
        """Cancel everything and end the thread."""
        self._end()


def _serve(loop: asyncio.AbstractEventLoop, at_end: Callable[[], Coroutine[Any, Any, None]] | None) -> None:
    loop.run_forever()
    if tasks := _cancel_all(loop):
        loop.run_until_complete(asyncio.wait(tasks))
    if at_end is not None:
        loop.run_until_complete(at_end())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> set[asyncio.Task[Any]]:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    return tasks


def _stop(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    # The last reference may be dropped in the loop's own thread, which cannot wait for itself.
    if thread is not threading.current_thread():
        thread.join()
