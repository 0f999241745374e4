"""Loaded by Python processes whose PYTHONPATH names this folder: jobs other than downloads lose the network.

As root they get a network namespace of their own, in which there is nothing, loopback included; everywhere,
whatever tries to reach a server is noted and refused.
"""

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWNET = 0x40000000
EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}


def _note(*words):
    with Path(os.environ["NETWORK_NOTES"]).open("a", encoding="utf-8") as stream:
        print(*words, file=stream)


def _guard(rule):
    def refuse(event, arguments):
        # Sockets of the Unix kind, whose address is no tuple, stay within the machine.
        if event in EVENTS and not (event == "socket.connect" and not isinstance(arguments[1], tuple)):
            _note("tried", rule, event)
            raise OSError(f"{rule} has no network")

    if os.geteuid() == 0 and ctypes.CDLL(None).unshare(CLONE_NEWNET) != 0:
        _note("kept", rule)
    sys.addaudithook(refuse)
    _note("guarded", rule)


# Snakemake runs a script as .snakemake/scripts/tmp....<script>.py.
for _argument in sys.orig_argv:
    if "/.snakemake/scripts/" in _argument:
        _rule = Path(_argument).name.split(".")[1]
        if not _rule.startswith("download_"):
            _guard(_rule)
