"""How posts are split; written into every snapshot, so that readers never ask again."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"
VAR = ROOT / "var"


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSettings:
    """`passage_units`: the most a passage may hold, a Han character counting 2, any other 1."""

    passage_units: int = 400

    def __post_init__(self) -> None:
        if not 50 <= self.passage_units <= 1200:
            raise ValueError(f"passage_units must be 50 to 1200 (512 tokens are the encoder's end), not {self.passage_units}")
