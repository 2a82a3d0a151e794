"""Progress bars: `tqdm` with a lock for threads only.

Its own lock is for processes too. From Python 3.14 on, this starts a process, which complains when
a command ends at once.
"""

from threading import RLock

from tqdm import tqdm

__all__ = ["tqdm"]

tqdm.set_lock(RLock())
