"""What can go wrong.

::

    BerryEvalError
    ├── ArchiveError                    an archive cannot be used
    ├── SystemUnderTestError            a search system that is tested fails
    │   ├── AnswerError                 it answers with what cannot be used
    │   └── SystemTimeoutError          it does not answer in time
    ├── InputError (ValueError)         something given cannot be used
    │   ├── ArgumentError               an argument's value
    │   ├── ConflictError               something that another changed meanwhile
    │   ├── FormatError                 a line of a file
    │   ├── MismatchError               data that do not belong together
    │   ├── MeasureSyntaxError          a measure's text that cannot be read
    │   ├── TrecEvalError               what trec_eval refuses, with its exit code
    │   └── UnknownMeasureError         a measure that nobody knows
    ├── InputTypeError (TypeError)      an argument's type
    ├── MissingExtraError (ImportError) a library that is not installed
    ├── NotFoundError (LookupError)     something that is not there
    └── ServiceError                    a service that refuses or fails

    BackendWarning (UserWarning)        the native extension is not in use

A message says where, what was expected and what came. The same facts are attributes.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "AnswerError",
    "ArchiveError",
    "ArgumentError",
    "BackendWarning",
    "BerryEvalError",
    "ConflictError",
    "FormatError",
    "InputError",
    "InputTypeError",
    "MeasureSyntaxError",
    "MismatchError",
    "MissingExtraError",
    "NotFoundError",
    "ServiceError",
    "SystemTimeoutError",
    "SystemUnderTestError",
    "TrecEvalError",
    "UnknownMeasureError",
]


class BerryEvalError(Exception):
    """Any error that BerryEval raises on purpose."""


class SystemUnderTestError(BerryEvalError):
    """A system under test fails.

    Parameters
    ----------
    system : str
        What the system is called.
    message : str
        What happened.
    transient : bool
        Whether it may work a moment later: a connection that broke, a server that is busy.
    retry_after : float, optional
        Seconds to wait before that, where the system says so.
    """

    def __init__(
        self,
        system: str,
        message: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{system}: {message}")
        self.system = system
        self.message = message
        self.transient = transient
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        # The third is what pickle makes the attributes of, which keywords cannot travel as.
        return type(self), (self.system, self.message), dict(self.__dict__)


class AnswerError(SystemUnderTestError):
    """A system under test answers with something that is no ranking."""


class SystemTimeoutError(SystemUnderTestError):
    """A system under test does not answer in time."""


class InputError(BerryEvalError, ValueError):
    """Something given cannot be used."""


class _ArgumentBaseError(BerryEvalError):
    """An argument, what it should have been, and what it was."""

    def __init__(self, argument: str, expected: str, got: str) -> None:
        super().__init__(f"{argument}: expected {expected}, got {got}")
        self.argument = argument
        self.expected = expected
        self.got = got

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are rebuilt from `args`, which holds the finished message.
        return type(self), (self.argument, self.expected, self.got)


class ArgumentError(_ArgumentBaseError, InputError):
    """An argument of the right type has a value that cannot be used."""


class InputTypeError(_ArgumentBaseError, TypeError):
    """An argument has the wrong type."""


class ArchiveError(BerryEvalError):
    """An archive cannot be used: of a newer version, locked, out of reach, on a full disk.

    Parameters
    ----------
    archive : str
        Which one: a path, or an address without its password.
    message : str
        What happened, and the way out.
    transient : bool
        Whether it may work a moment later: another process writes, a server restarts.
    """

    def __init__(self, archive: str, message: str, *, transient: bool = False) -> None:
        super().__init__(f"{archive}: {message}")
        self.archive = archive
        self.message = message
        self.transient = transient

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.archive, self.message), {"transient": self.transient}


class ConflictError(InputError):
    """Something is no longer as the caller took it to be: somebody else changed it meanwhile.

    Parameters
    ----------
    what : str
        What it is, such as a judgment with its ids.
    expected : str
        How the caller took it to be.
    found : str
        How it is.
    message : str, optional
        What happened, where a service said it in other words.
    """

    def __init__(self, what: str, expected: str, found: str, message: str | None = None) -> None:
        super().__init__(message or f"{what}: expected {expected}, found {found}")
        self.what = what
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.expected, self.found, str(self))


class FormatError(InputError):
    """A file, or a line of it, is not what its format asks for.

    Parameters
    ----------
    message : str
        What was expected and what came.
    path : str
        The file, as the user named it.
    line : int or None
        The line, from 1; None where the file as a whole is meant.
    """

    def __init__(self, message: str, path: str, line: int | None = None) -> None:
        where = path if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {message}")
        self.message = message
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.path, self.line)


class MismatchError(InputError):
    """Data that do not belong together, such as judgments of other queries than the run's."""


class UnknownMeasureError(InputError):
    """No measure goes by this name.

    Parameters
    ----------
    name : str
        What was asked for.
    suggestion : str or None
        The nearest name there is.
    known : tuple of str
        All of them, for a message without a suggestion.
    """

    def __init__(self, name: str, suggestion: str | None, known: tuple[str, ...]) -> None:
        hint = (
            f"did you mean {suggestion!r}?"
            if suggestion
            else f"known measures are {', '.join(known)}"
        )
        super().__init__(f"unknown measure {name!r}: {hint}")
        self.name = name
        self.suggestion = suggestion
        self.known = known

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.suggestion, self.known)


class MeasureSyntaxError(InputError):
    """The text of a measure cannot be read, or its parameters do not fit.

    Parameters
    ----------
    text : str
        What was given.
    expected : str
        What should have stood there.
    got : str
        What stood there.
    example : str
        A text that can be read.
    """

    def __init__(self, text: str, expected: str, got: str, example: str) -> None:
        super().__init__(
            f"measure {text!r}: expected {expected}, got {got}; write for example {example!r}"
        )
        self.text = text
        self.expected = expected
        self.got = got
        self.example = example

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.expected, self.got, self.example)


class MissingExtraError(BerryEvalError, ImportError):
    """Something needs a library that is not installed.

    Parameters
    ----------
    what : str
        What was asked for, at the beginning of a sentence.
    extra : str
        The extra of the package that brings the library.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} requires an optional dependency: pip install 'berryeval[{extra}]'"
        )
        self.what = what
        self.extra = extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.extra)


class NotFoundError(BerryEvalError, LookupError):
    """Something is not there.

    Parameters
    ----------
    kind : str
        What was looked for, such as ``"run"``.
    name : str
        Its name or id.
    """

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"there is no {kind} {name!r}")
        self.kind = kind
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, self.name)


class ServiceError(BerryEvalError):
    """A service cannot be reached, refuses, or fails in a way that no other error tells of.

    Parameters
    ----------
    service : str
        Its address.
    message : str
        What happened.
    status : int or None
        The HTTP status; None if there was no answer.
    kind : str or None
        What the service calls the problem.
    """

    def __init__(
        self, service: str, message: str, status: int | None = None, kind: str | None = None
    ) -> None:
        super().__init__(f"{service}: {message}")
        self.service = service
        self.message = message
        self.status = status
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.service, self.message, self.status, self.kind)


class TrecEvalError(InputError):
    """Something that trec_eval refuses, and so does the command of its name.

    Parameters
    ----------
    message : str
        What is wrong.
    exit_code : int
        What trec_eval answers to a shell: 1 usage, 4 a query that cannot be scored, 7 no query
        in common, 255 z-scores that cannot be used. Other files and parameters that cannot be
        used, its 2, are an `InputError`.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.exit_code)


class BackendWarning(UserWarning):
    """The native extension is not in use; results are the same, only slower."""


_RENAMED = {"BackendError": SystemUnderTestError, "BackendTimeout": SystemTimeoutError}


def __getattr__(name: str) -> object:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import warnings

    found = _RENAMED[name]
    message = f"{name} is now called {found.__name__}; the old name will be removed in version 1.0"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return found
