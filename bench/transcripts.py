"""Generate a home directory of transcripts: sample files cloned under new ids, other dates and changed words.

Every clone keeps the byte mix of its sample (prose is a few per cent of a transcript), gets fresh UUIDs, message and
tool-call ids, dates spread over a year, and one prose word in eight replaced from a made-up vocabulary, so that
clones neither deduplicate nor compress into each other. Deterministic for a seed and a size.
"""

from __future__ import annotations

import argparse
import datetime
import random
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NATIVE = re.compile(rb"\b(?:msg|toolu|req|call)_[A-Za-z0-9]{8,}")
_DATE = re.compile(rb"\b20[0-9]{2}-[01][0-9]-[0-3][0-9](?=T)")
_WORD = re.compile(rb"(?<= )[a-z]{5,12}(?= )")
_SYLLABLES = ["ka", "ro", "mi", "ten", "sol", "vi", "dar", "pe", "lun", "tor", "ash", "ni", "bel", "qui", "or", "fen"]
SHARES = {"claude": 0.86, "pi": 0.09, "codex": 0.05}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Size, samples and destination."""
    parser.add_argument("--samples", type=Path, required=True, help="folder of sample transcripts")
    parser.add_argument("--out", type=Path, required=True, help="home directory to create")
    parser.add_argument("--mb", type=float, default=350)
    parser.add_argument("--seed", type=int, default=1)


def main(arguments: argparse.Namespace) -> None:
    """Write the home and print what is in it."""
    random_ = random.Random(arguments.seed)
    words = [_word(random_) for _ in range(20_000)]
    total = 0
    for agent, share in SHARES.items():
        budget = arguments.mb * 1e6 * share
        files, written = _write_agent(agent, arguments.samples, arguments.out, budget, random_, words)
        total += written
        print(f"{agent}: {files} files, {written / 1e6:.1f} MB")
    print(f"home {arguments.out}: {total / 1e6:.1f} MB")


def _word(random_: random.Random) -> bytes:
    return "".join(random_.choices(_SYLLABLES, k=random_.randint(2, 4))).encode()


def _write_agent(
    agent: str, samples: Path, home: Path, budget: float, random_: random.Random, words: list[bytes]
) -> tuple[int, int]:
    files = written = 0
    for source, serial in _rounds(_samples(agent, samples), random_):
        if written >= budget:
            break
        data = _perturb(source.read_bytes(), f"{agent}/{serial}", random_, words)
        path = _place(agent, home, data, serial, random_)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written += len(data)
        files += 1
    return files, written


def _samples(agent: str, samples: Path) -> list[Path]:
    """Real captures first; fixtures of a few hundred bytes are left to the tests."""
    found = [path for path in sorted((samples / agent).glob("*.jsonl")) if path.stat().st_size > 5_000]
    return [path for path in found if "SYNTHETIC" not in path.name]


def _rounds(samples: list[Path], random_: random.Random) -> Iterator[tuple[Path, int]]:
    """Clones of every sample without end, weighted so that a session is near a megabyte, as in real homes."""
    weights = [path.stat().st_size ** 0.5 for path in samples]
    serial = 0
    while True:
        yield random_.choices(samples, weights)[0], serial
        serial += 1


def _perturb(data: bytes, salt: str, random_: random.Random, words: list[bytes]) -> bytes:
    days = random_.randint(-360, 0)
    newest = max(_DATE.findall(data), default=b"2026-01-01").decode()
    shift = datetime.timedelta(days=days) + (datetime.date(2026, 11, 20) - datetime.date.fromisoformat(newest))

    def new_uuid(match: re.Match[bytes]) -> bytes:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, salt + match[0].decode())).encode()

    def new_native(match: re.Match[bytes]) -> bytes:
        kind, _, rest = match[0].partition(b"_")
        return kind + b"_" + uuid.uuid5(uuid.NAMESPACE_URL, salt + rest.decode()).hex.encode()

    def new_date(match: re.Match[bytes]) -> bytes:
        return str(datetime.date.fromisoformat(match[0].decode()) + shift).encode()

    def new_word(match: re.Match[bytes]) -> bytes:
        return random_.choice(words) if random_.random() < 0.125 else match[0]

    for pattern, change in ((_UUID, new_uuid), (_NATIVE, new_native), (_DATE, new_date), (_WORD, new_word)):
        data = pattern.sub(change, data)
    return data


def _place(agent: str, home: Path, data: bytes, serial: int, random_: random.Random) -> Path:
    """Where the tool would have put it. A Claude clone is named by the session id its rows carry."""
    project = f"project{random_.randint(1, 12)}"
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{agent}/{serial}"))
    if agent == "claude":
        return home / ".claude" / "projects" / f"-home-dev-{project}" / f"{identity}.jsonl"
    if agent == "pi":
        return (
            home
            / ".pi"
            / "agent"
            / "sessions"
            / f"--home-dev-{project}--"
            / f"2026-06-01T00-00-00-000Z_{identity}.jsonl"
        )
    match = _DATE.search(data)
    year, month, day = (match[0].decode() if match else "2026-06-01").split("-")
    folder = home / ".codex" / "sessions" / year / month / day
    return folder / f"rollout-{year}-{month}-{day}T00-00-00-{_first_uuid(data) or identity}.jsonl"


def _first_uuid(data: bytes) -> str | None:
    match = _UUID.search(data)
    return match[0].decode() if match else None
