"""Progress bars, which need no processes: `tqdm` with a lock of threads.

Its own lock is one of processes too. From Python 3.14 on that starts a process, which complains
when a command ends at once.
"""

from threading import RLock

from tqdm import tqdm

__all__ = ["tqdm"]

tqdm.set_lock(RLock())
