"""The shell line that resumes a session in the tool that wrote it."""

from __future__ import annotations


def resume_line(command: str, native_id: str, cwd: str | None) -> str:
    """`command NATIVE_ID`, quoted for a shell, from the directory the session worked in where it is known."""
    import shlex  # a search that shows nothing resumes nothing

    line = f"{command} {shlex.quote(native_id)}"
    return line if cwd is None else f"cd {shlex.quote(cwd)} && {line}"


__all__ = ["resume_line"]
