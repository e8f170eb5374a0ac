"""Where the question set, its floors and the results lie."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
QUESTIONS = HERE / "questions.jsonl"
DIALOGUES = HERE / "dialogues.jsonl"
EXPECTED = HERE / "expected.toml"
RESULTS = HERE / "results"
CUTOFFS = (1, 5, 10)
