"""Modules of an ordinary CPython on Linux that the sandbox lacks: a program that needs one is refused."""

OTHER_SYSTEMS = frozenset(
    """nt msvcrt winreg winsound _winapi _winreg _overlapped _wmi _msi msilib _scproxy nturl2path java org clr vms_lib riscos
    _ios_support _apple_support _android_support""".split()
)
"""Modules that no CPython on Linux has."""
COMPLETE = frozenset(["encodings"])
"""Packages that are complete in the sandbox."""
PLATFORM_MODULES = "os posix time signal select threading _thread hashlib socket fcntl termios mmap".split()
"""Modules that are made of what the system has: on Linux they have names that those of the embedded host have not."""
OTHER_NAMES = frozenset(
    """startfile add_dll_directory get_handle_inheritable set_handle_inheritable O_BINARY O_TEXT O_NOINHERIT O_SHORT_LIVED O_TEMPORARY O_RANDOM
    O_SEQUENTIAL O_EXLOCK O_SHLOCK O_EVTONLY O_SYMLINK O_NOFOLLOW_ANY P_DETACH P_OVERLAY chflags lchflags lchmod plock
    CTRL_C_EVENT CTRL_BREAK_EVENT SIGBREAK SIGINFO SIGEMT kqueue kevent devpoll fromshare ioctlsocket""".split()
)
"""Names of these modules that Linux has not, either."""
LINUX_VALUES = {
    "os": {"NGROUPS_MAX": 65536, "TMP_MAX": 238328, "O_LARGEFILE": 0, "O_ACCMODE": 3},
    "fcntl": {"F_GETLK": 5, "F_SETLK": 6, "F_SETLKW": 7, "F_GETLK64": 5, "F_SETLK64": 6, "F_SETLKW64": 7, "DN_MULTISHOT": 2**31},
    "termios": {"CRTSCTS": 2**31},
    "decimal": {"MAX_PREC": 10**18 - 1, "MAX_EMAX": 10**18 - 1, "MIN_EMIN": 1 - 10**18, "MIN_ETINY": 3 - 2 * 10**18},
    "socket": {
        **{"has_ipv6": True, "SO_SNDTIMEO": 21, "SO_RCVTIMEO": 20, "SOMAXCONN": 4096, "NI_MAXHOST": 1025},
        **{"INADDR_BROADCAST": 2**32 - 1, "INADDR_NONE": 2**32 - 1, "INADDR_UNSPEC_GROUP": 0xE0000000},
        **{"INADDR_ALLHOSTS_GROUP": 0xE0000001, "INADDR_MAX_LOCAL_GROUP": 0xE00000FF},
    },
}
"""Constants that WebAssembly's C library has otherwise."""
