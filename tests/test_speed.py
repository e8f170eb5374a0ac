"""What a cold question costs, as a ratio within one run: absolute times depend on the machine."""

import statistics
import subprocess
import sys
import time

import pytest
from conftest import ROOT


def seconds(*args):
    began = time.perf_counter()
    subprocess.run([sys.executable, *args], cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - began


@pytest.mark.slow
def test_a_cold_question_costs_a_fraction_of_importing_sentence_transformers(index_folder, record_property):
    ask, usual = [], []
    for _ in range(5):
        ask.append(seconds("-m", "app.ask", "--index", str(index_folder), "How much faster is batched eigh in PyTorch 2.12?"))
        usual.append(seconds("-c", "import sentence_transformers"))
    ratio = statistics.median(ask) / statistics.median(usual)
    record_property("ratio", ratio)
    print(f"cold ask {statistics.median(ask):.2f} s / import sentence_transformers {statistics.median(usual):.2f} s = {ratio:.3f}")
    assert ratio <= 0.15
