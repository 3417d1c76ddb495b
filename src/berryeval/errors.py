"""All errors and warnings of BerryEval.

::

    BerryEvalError
    ├── ArchiveError                    an archive cannot be used
    ├── SystemUnderTestError            a system under test fails
    │   ├── AnswerError                 its answer is invalid
    │   └── SystemTimeoutError          it does not answer in time
    ├── InputError (ValueError)         an input is invalid
    │   ├── ArgumentError               an argument has an invalid value
    │   │   └── ScaleError              a grade exceeds the declared scale
    │   ├── ConflictError               another client changed a resource
    │   │   └── DisagreementError       judges disagree, and a project settles it
    │   ├── FormatError                 a file, or a line of it, is invalid
    │   │   └── SizeError               it exceeds a limit
    │   ├── MismatchError               inputs do not belong together
    │   ├── MeasureSyntaxError          a measure cannot be parsed
    │   ├── TrecEvalError               trec_eval rejects it; has its exit code
    │   └── UnknownMeasureError         a measure is unknown
    ├── InputTypeError (TypeError)      an argument has the wrong type
    ├── MissingExtraError (ImportError) a library is not installed
    ├── NotFoundError (LookupError)     a resource does not exist
    ├── ServiceError                    a service cannot be reached, or fails
    └── SparkError                      a Spark cluster cannot be reached, or fails

    BackendWarning (UserWarning)        the native extension is not in use

A message states where the problem is, what was expected and what was found. The same facts are
attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "AnswerError",
    "ArchiveError",
    "ArgumentError",
    "BackendWarning",
    "BerryEvalError",
    "ConflictError",
    "DisagreementError",
    "FormatError",
    "InputError",
    "InputTypeError",
    "MeasureSyntaxError",
    "MismatchError",
    "MissingExtraError",
    "NotFoundError",
    "ScaleError",
    "ServiceError",
    "SizeError",
    "SparkError",
    "SystemTimeoutError",
    "SystemUnderTestError",
    "TrecEvalError",
    "UnknownMeasureError",
]


def hide_password(text: str) -> str:
    """Return text without the password of an address or connection string.

    Anything may have been passed as the name of a file. A password ends at the last ``@``, since
    it may contain others, and a connection string is cut, since its password may be quoted.

    Examples
    --------
    >>> hide_password("postgresql://ada:secret@db/quality")
    'postgresql://ada:***@db/quality'
    >>> hide_password("host=db password=secret")
    'host=db password=***'
    >>> hide_password("C:/runs/bm25.run")
    'C:/runs/bm25.run'
    """
    start = text.find("://") + len("://") if "://" in text else 0
    colon, end = text.find(":", start), text.rfind("@")
    if 0 <= colon < end:
        text = f"{text[: colon + 1]}***{text[end:]}"
    before, equals, _ = text.partition("password=")
    return f"{before}{equals}***" if equals else text


class BerryEvalError(Exception):
    """Any error that BerryEval raises on purpose."""

    setting: str | None = None
    """A setting of the system under test that helps, such as ``id=metadata.source``."""

    def suggest(self, setting: str | None) -> Self:
        """Return the error, which suggests a setting."""
        self.setting = setting
        return self


class SystemUnderTestError(BerryEvalError):
    """A system under test failed.

    Parameters
    ----------
    system : str
        Name of the system.
    message : str
        What happened.
    transient : bool
        Whether a retry may succeed, as after a lost connection or if a server is busy.
    retry_after : float, optional
        Seconds to wait before a retry, if the system states them.
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
        # Pickle sets attributes from the third item, since it cannot pass keyword arguments.
        return type(self), (self.system, self.message), dict(self.__dict__)


class AnswerError(SystemUnderTestError):
    """The answer of a system under test is not a valid ranking."""


class SystemTimeoutError(SystemUnderTestError):
    """A system under test did not answer in time."""


class InputError(BerryEvalError, ValueError):
    """An input is invalid."""


class _ArgumentBaseError(BerryEvalError):
    """An argument, the expected value, and the actual value."""

    def __init__(self, argument: str, expected: str, got: str) -> None:
        super().__init__(f"{argument}: expected {expected}, got {got}")
        self.argument = argument
        self.expected = expected
        self.got = got

    def __reduce__(self) -> tuple[Any, ...]:
        # By default exceptions are rebuilt from `args`, which contains the whole message.
        return type(self), (self.argument, self.expected, self.got)


class ArgumentError(_ArgumentBaseError, InputError):
    """An argument has the right type but an invalid value."""


class ScaleError(ArgumentError):
    """A grade exceeds the declared scale.

    Parameters
    ----------
    query_id, doc_id : str
        The query and the document that were graded.
    grade : float
        The grade.
    highest : int
        The highest grade of the scale.
    file_name : str, optional
        The file that has the grade.
    """

    def __init__(
        self, query_id: str, doc_id: str, grade: float, highest: int, file_name: str | None = None
    ) -> None:
        where = f"{file_name}: " if file_name else ""
        where += f"grade of document {doc_id!r} for query {query_id!r}"
        expected = f"at most {highest}, the highest grade of the declared scale"
        super().__init__(where, expected, f"{grade:g}")
        self.query_id, self.doc_id, self.grade, self.highest = query_id, doc_id, grade, highest
        self.file_name = file_name

    def __reduce__(self) -> tuple[Any, ...]:
        facts = (self.query_id, self.doc_id, self.grade, self.highest, self.file_name)
        return type(self), facts


class InputTypeError(_ArgumentBaseError, TypeError):
    """An argument has the wrong type."""


class ArchiveError(BerryEvalError):
    """An archive cannot be used: its version is newer, it is locked, unreachable, or full.

    Parameters
    ----------
    archive : str
        A path, or an address without its password.
    message : str
        What happened, and the way out.
    transient : bool
        Whether a retry may succeed, as if another process is writing or a server restarts.
    """

    def __init__(self, archive: str, message: str, *, transient: bool = False) -> None:
        super().__init__(f"{archive}: {message}")
        self.archive = archive
        self.message = message
        self.transient = transient

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.archive, self.message), {"transient": self.transient}


class ConflictError(InputError):
    """A resource is not in the state that the caller expects, since another client changed it.

    Parameters
    ----------
    what : str
        The resource, such as a judgment with its ids.
    expected : str
        The expected state.
    found : str
        The current state.
    message : str, optional
        Message of a service, instead of the default one.
    """

    def __init__(self, what: str, expected: str, found: str, message: str | None = None) -> None:
        super().__init__(message or f"{what}: expected {expected}, found {found}")
        self.what = what
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.expected, self.found, str(self))


class DisagreementError(ConflictError):
    """Judges disagree on a pair, and an unfinished project has to settle it.

    Parameters
    ----------
    query_id, doc_id : str
        The query and the document.
    project : str
        The name of the project.
    """

    def __init__(self, query_id: str, doc_id: str, project: str) -> None:
        super().__init__(
            f"judgment of {doc_id!r} for {query_id!r}",
            "judges to agree",
            "a disagreement",
            f"Judges disagree on document {doc_id!r} for query {query_id!r}. The project {project} "
            "settles this disagreement: an admin does it on the project's page.",
        )
        self.query_id, self.doc_id, self.project = query_id, doc_id, project

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.query_id, self.doc_id, self.project)


class FormatError(InputError):
    """A file, or a line of it, does not match its format.

    Parameters
    ----------
    message : str
        What was expected and what was found.
    path : str
        The file, as named by the user. A password in it is hidden.
    line : int or None
        The line, from 1; None if the error concerns the whole file.
    expected, found : str or None
        What was expected and what was found, if the message says both.
    way_out : str or None
        How to fix it, if the message says so.
    """

    def __init__(
        self,
        message: str,
        path: str,
        line: int | None = None,
        *,
        expected: str | None = None,
        found: str | None = None,
        way_out: str | None = None,
    ) -> None:
        self.message = message
        self.path = hide_password(path)
        self.line = line
        self.expected = expected
        self.found = found
        self.way_out = way_out
        super().__init__(f"{self.where}: {message}")

    @classmethod
    def unexpected(
        cls, expected: str, found: str, path: str, line: int | None = None, *, way_out: str = ""
    ) -> Self:
        """Return an error whose message states what was expected, what was found, and the fix."""
        end = f"; {way_out}" if way_out else ""
        message = f"expected {expected}, found {found}{end}"
        return cls(message, path, line, expected=expected, found=found, way_out=way_out or None)

    @property
    def where(self) -> str:
        """The file, with the line if it is known: ``"bm25.run:3"``."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.path, self.line), dict(self.__dict__)


class SizeError(FormatError):
    """A file, or a line of it, exceeds a limit."""


class MismatchError(InputError):
    """Inputs do not belong together, such as judgments and a run without a common query."""


class UnknownMeasureError(InputError):
    """A measure is unknown.

    Parameters
    ----------
    name : str
        The unknown name.
    suggestion : str or None
        The nearest known name.
    known : tuple of str
        All known names, for a message without a suggestion.
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
    """A measure cannot be parsed, or has invalid parameters.

    Parameters
    ----------
    text : str
        The text of the measure.
    expected : str
        What was expected.
    got : str
        What was found instead.
    example : str
        An example of a valid measure.
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
    """An optional dependency is not installed.

    Parameters
    ----------
    what : str
        The feature that requires it, as the beginning of a sentence.
    extra : str
        The extra of the package that includes the dependency.
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
    """A resource does not exist.

    Parameters
    ----------
    kind : str
        The kind of resource, such as ``"run"``.
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
    """A service cannot be reached, or fails in a way that no other error describes.

    Parameters
    ----------
    service : str
        Address of the service.
    message : str
        What happened.
    status : int or None
        The HTTP status; None if there was no response.
    kind : str or None
        The problem type that the service states.
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


class SparkError(BerryEvalError):
    """A Spark cluster cannot be reached, lacks a package, or fails, for example out of memory."""


class TrecEvalError(InputError):
    """An input that trec_eval rejects, and therefore `berryeval trec_eval` as well.

    Parameters
    ----------
    message : str
        What is wrong.
    exit_code : int
        The exit code of trec_eval: 1 usage, 4 a query that cannot be scored, 7 no common query,
        255 invalid z-scores. Other invalid files and parameters, its 2, are an `InputError`.
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
