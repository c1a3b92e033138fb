"""A child process that never outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
"""prctl(2): the signal that this process gets when the thread that started it ends."""


def die_with_parent(parent_pid: int) -> None:
    """Asks the system to kill this process when the thread that started it ends; ends it now where that thread is gone.

    `parent_pid` is the parent's process id as the parent itself knows it. Where the system has no such wish (macOS) nothing
    happens: a process needs a second tie, such as a pipe from its parent that closes.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # The parent may have died before the wish was known: then this process already belongs to another.
    if os.getppid() != parent_pid:
        os._exit(1)
