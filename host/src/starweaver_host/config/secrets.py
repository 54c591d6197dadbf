"""Secrets in configuration files: a reference (`{ env = "NAME" }`, `{ file = "path" }`), never the value itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starweaver_host.contract.registration import Secret

REFERENCE_FORMS = 'write { env = "NAME" } or { file = "path" }'


class SecretError(ValueError):
    """A secret cannot be resolved; the message says what was looked for and never holds a value."""


def resolve_secret(reference: object, *, environ: Mapping[str, str], folder: Path) -> Secret:
    """The secret a reference names. Raises SecretError; relative files are relative to `folder`.

    One line end at the end of a file is not part of the secret.
    """
    if not isinstance(reference, Mapping) or len(reference) != 1:
        raise SecretError(f"must be a reference to a secret; {REFERENCE_FORMS}")
    ((form, name),) = reference.items()
    if form not in {"env", "file"} or not isinstance(name, str) or not name:
        raise SecretError(f"must be a reference to a secret; {REFERENCE_FORMS}")
    value = _from_environment(name, environ) if form == "env" else _from_file(folder / Path(name).expanduser())
    if not value:
        raise SecretError(f"names an empty secret: {form} {name!r}")
    return Secret(value)


def _from_environment(name: str, environ: Mapping[str, str]) -> str:
    try:
        return environ[name]
    except KeyError:
        raise SecretError(f"names variable {name!r}, which is not set") from None


def _from_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as error:
        reason = (getattr(error, "strerror", None) or "not UTF-8 text").lower()
        raise SecretError(f"names file {str(path)!r}, which cannot be read: {reason}") from error


__all__ = ["REFERENCE_FORMS", "SecretError", "resolve_secret"]
