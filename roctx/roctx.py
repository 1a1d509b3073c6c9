# SPDX-License-Identifier: MIT
"""ROC-TX for Python: names for moments and stretches of a program's work.

    import roctx

    roctx.mark("loaded")

    with roctx.range("step"):
        ...

    @roctx.range("forward")  # or @roctx.range: by the function's own name
    def forward(x):
        ...

Functions have the names of the C library, without "roctx": rangePush, rangePop, rangeStart, rangeStop,
profilerPause, profilerResume, nameOsThread, nameHipDevice, getThreadId. All may be called from any thread.

Nothing is built: librocprofiler-sdk-roctx, or libroctx64 where there is none, is loaded by ctypes. Where there is
neither, or one without a function, calls do nothing and return what the library would without a tool.
"""

import ctypes
import functools
import threading

__all__ = ["mark", "range", "rangePush", "rangePop", "rangeStart", "rangeStop", "profilerPause", "profilerResume",
           "nameOsThread", "nameHipDevice", "getThreadId"]

_LIBRARIES = ("librocprofiler-sdk-roctx.so.1", "librocprofiler-sdk-roctx.so.0", "libroctx64.so.4")


def _load():
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


_library = _load()


def _function(name, result, arguments, otherwise):
    """The library's function of that name, or what is called in its place."""
    function = getattr(_library, name, None)
    if function is None:
        return otherwise
    function.restype = result
    function.argtypes = arguments
    return function


def _text(message):
    return message if isinstance(message, bytes) else str(message).encode("utf-8", "surrogateescape")


_mark = _function("roctxMarkA", None, [ctypes.c_char_p], lambda message: None)
_push = _function("roctxRangePushA", ctypes.c_int, [ctypes.c_char_p], lambda message: 0)
_pop = _function("roctxRangePop", ctypes.c_int, [], lambda: -1)
_start = _function("roctxRangeStartA", ctypes.c_uint64, [ctypes.c_char_p], lambda message: 0)
_stop = _function("roctxRangeStop", None, [ctypes.c_uint64], lambda number: None)
_pause = _function("roctxProfilerPause", ctypes.c_int, [ctypes.c_uint64], lambda tid: 0)
_resume = _function("roctxProfilerResume", ctypes.c_int, [ctypes.c_uint64], lambda tid: 0)
_name_thread = _function("roctxNameOsThread", ctypes.c_int, [ctypes.c_char_p], lambda name: 0)
_name_device = _function("roctxNameHipDevice", ctypes.c_int, [ctypes.c_char_p, ctypes.c_int], lambda name, device: 0)


def mark(message):
    """Marks this moment on the calling thread."""
    _mark(_text(message))


def rangePush(message):
    """Opens a range on the calling thread; its level, from 0."""
    return _push(_text(message))


def rangePop():
    """Closes the range that the calling thread pushed last; its level, or -1 if there is none."""
    return _pop()


def rangeStart(message):
    """Starts a range of the process; its number, for rangeStop on any thread."""
    return _start(_text(message))


def rangeStop(number):
    """Stops a range of the process."""
    _stop(number)


def profilerPause(tid=0):
    """Asks the tool that watches to stop recording, that thread or, with 0, all of the process."""
    return _pause(tid)


def profilerResume(tid=0):
    """Asks it to go on."""
    return _resume(tid)


def nameOsThread(name):
    """What the tool is to call the calling thread."""
    return _name_thread(_text(name))


def nameHipDevice(name, device):
    """What it is to call that GPU."""
    return _name_device(_text(name), device)


def getThreadId():
    """The calling thread, as profilerPause and profilerResume want it."""
    return threading.get_native_id()


class range:  # pylint: disable=invalid-name,redefined-builtin
    """A range around a block, `with roctx.range("step"):`, or around each call of a function, as a decorator."""

    def __new__(cls, message):
        self = super().__new__(cls)
        if callable(message):
            self.message = _text(getattr(message, "__qualname__", repr(message)))
            return self(message)
        self.message = _text(message)
        return self

    def __enter__(self):
        _push(self.message)
        return self

    def __exit__(self, *error):
        _pop()

    def __call__(self, function):
        @functools.wraps(function)
        def in_range(*args, **kwargs):
            _push(self.message)
            try:
                return function(*args, **kwargs)
            finally:
                _pop()
        return in_range
