"""Reading the loosely shaped values of a rollout: texts, blocks, outputs, and what in a user row no person typed."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from starweaver_host.contract.events import ImageBlock, TextBlock
from starweaver_transcripts.emit import base64_size, clean

IDE_REQUEST = "## My request for Codex:"
_WRAPPER = re.compile(r"<([A-Za-z][\w-]*)(?:\s[^>]*)?>")
_WRAPPER_WORDS = frozenset({"goal", "hook", "instructions", "permissions", "plugin", "plugins", "skill", "skills"})
_IMAGE_TAGS = re.compile(r"</?image\b[^>]*>")
_HIDDEN = re.compile(r"<oai-mem-citation>.*?</oai-mem-citation>", re.DOTALL)
_CWD = re.compile(r"<cwd>(.*?)</cwd>|^Current working directory: (.+)$", re.MULTILINE)
_IMAGE_TYPES = frozenset({"input_image", "image", "inputImage", "local_image"})


class Content(NamedTuple):
    """What a content value holds: its texts in order, and its images without their bytes."""

    texts: tuple[str, ...]
    images: tuple[ImageBlock, ...] = ()

    @property
    def text(self) -> str:
        """The texts, a line break between them."""
        return "\n".join(self.texts)


class Output(NamedTuple):
    """A tool's answer as text."""

    text: str
    images: int = 0
    is_error: bool = False


def string(value: Any) -> str | None:
    """The value if it is a text that is not empty."""
    return clean(value) if isinstance(value, str) and value else None


def content(value: Any) -> Content:
    """Texts and images of a text, a block, or a list of them."""
    texts: list[str] = []
    images: list[ImageBlock] = []
    for block in value if isinstance(value, list) else [value]:
        if isinstance(block, str):
            texts.append(clean(block))
        elif isinstance(block, dict):
            _add_block(block, texts, images)
    return Content(tuple(text for text in texts if text), tuple(images))


def _add_block(block: dict[str, Any], texts: list[str], images: list[ImageBlock]) -> None:
    kind = block.get("type")
    if (isinstance(kind, str) and kind in _IMAGE_TYPES) or isinstance(block.get("image_url"), str):
        images.append(image(block.get("image_url") or block.get("data")))
    elif isinstance(found := block.get("text"), str):
        texts.append(clean(found))


def image(url: Any) -> ImageBlock:
    """An image by its `data:` URL, of which type and size are kept."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return ImageBlock()
    return ImageBlock(media_type=url[5 : url.find(";", 5, 128)] or None, size_bytes=base64_size(url))


def output(value: Any) -> Output:
    """A tool's answer: a text, a JSON text with `output`, blocks, or another JSON value."""
    if isinstance(value, str):
        return _text_output(value)
    if isinstance(value, dict) and not isinstance(value.get("text"), str):
        if "content" in value or "output" in value:
            inner = output(value.get("content", value.get("output")))
            return inner._replace(is_error=value.get("success") is False)
        return Output(json_text(value))
    if value is None:
        return Output("")
    found = content(value)
    return Output(found.text, len(found.images))


def _text_output(text: str) -> Output:
    """Older releases wrap a shell's answer as `{"output": …, "metadata": {"exit_code": …}}`."""
    if not text.startswith('{"output":'):
        return Output(clean(text))
    try:
        found = _SHELL.decode(text)
    except ValueError:
        return Output(clean(text))
    return Output(clean(found.output), is_error=found.metadata.exit_code not in (None, 0))


class _ShellMetadata(msgspec.Struct):
    exit_code: Any = None


class _Shell(msgspec.Struct):
    output: str
    metadata: _ShellMetadata = msgspec.field(default_factory=_ShellMetadata)


_SHELL = msgspec.json.Decoder(_Shell)


def json_text(value: Any) -> str:
    """A value as its writer's JSON; a text stays what it is, nothing is an empty object."""
    if isinstance(value, str):
        return clean(value)
    return clean(msgspec.json.encode({} if value is None else value).decode())


def typed_text(text: str) -> str:
    """What the person typed: the request alone where an editor put its context before it."""
    if text.startswith("#") and IDE_REQUEST in text:
        return text.split(IDE_REQUEST, 1)[1].strip()
    return text


def is_injected(text: str) -> bool:
    """Tell a block that the tool put into a user row: its envelopes, and the instruction files it read."""
    text = text.strip()
    if text.startswith("# AGENTS.md instructions"):
        return True
    found = _WRAPPER.match(text)
    if found is None:
        return False
    tag = found[1]
    return ("_" in tag or tag.lower() in _WRAPPER_WORDS) and text.endswith(f"</{tag}>")


def without_envelopes(found: Content) -> Content:
    """The content without injected blocks and without the tags that stand around images."""
    texts = (_IMAGE_TAGS.sub("", text) if found.images else text for text in found.texts if not is_injected(text))
    return Content(tuple(text for text in texts if text.strip()), found.images)


def visible(found: Content) -> Content:
    """An assistant's content without the citations that are not shown."""
    texts = (_HIDDEN.sub("", text) if "<oai-mem-citation>" in text else text for text in found.texts)
    return Content(tuple(text for text in texts if text.strip()), found.images)


def working_directory(text: str) -> str | None:
    """The directory an environment envelope names; the bare era says it nowhere else."""
    found = _CWD.search(text) if "<environment_context>" in text else None
    return None if found is None else (found[1] or found[2]).strip() or None


def blocks(found: Content) -> tuple[TextBlock | ImageBlock, ...]:
    """The content as message blocks, texts before images."""
    return (*(TextBlock(text=text) for text in found.texts), *found.images)


__all__ = [
    "IDE_REQUEST",
    "Content",
    "Output",
    "blocks",
    "content",
    "image",
    "is_injected",
    "json_text",
    "output",
    "string",
    "typed_text",
    "visible",
    "without_envelopes",
    "working_directory",
]
