import pytest

from app.followup import Turn, leans, standalone

RELEASES = [f"2.{n}" for n in range(13)]


@pytest.mark.parametrize(
    ("last", "turn", "expected"),
    [
        ("PyTorch 2.4 有多少人参与贡献？", "那 2.6 呢？", "PyTorch 2.6 有多少人参与贡献？"),
        ("How many people contributed to PyTorch 2.4?", "And to 2.6?", "How many people contributed to PyTorch 2.6?"),
        ("2.12 的贡献者有多少", "上一个版本呢", "2.11 的贡献者有多少"),
        ("How many commits has 2.4?", "and the next version?", "How many commits has 2.5?"),
        ("torch.compile 从哪版支持 Python 3.12", "3.13 呢？", "torch.compile 从哪版支持 Python 3.13"),
        ("Does torch.compile support Python 3.12?", "and 3.13?", "Does torch.compile support Python 3.13?"),
        ("2.11 里 torch.linalg.svd 快了多少", "lstsq 呢？", "2.11 里 torch.linalg.lstsq 快了多少"),
    ],
)
def test_a_turn_switches_one_element_of_the_question_before(last, turn, expected):
    assert expected in standalone(turn, [Turn(question=last)], RELEASES)


@pytest.mark.parametrize(
    ("last", "turn", "expected"),
    [
        (Turn(question="Since when does Adagrad take fused=True?", heading="Fused Adagrad"), "who wrote it?", "who wrote Fused Adagrad?"),
        (Turn(question="2.12 的 Adagrad 有什么新东西", heading="融合版 Adagrad"), "谁写的？", "PyTorch 2.12 的 融合版 Adagrad 谁写的？"),
        (
            Turn(question="Which option does it need?", heading="X", identifier="a.b_c"),
            "When was that option removed?",
            "When was a.b_c removed?",
        ),
    ],
)
def test_a_turn_asks_another_detail_of_what_was_talked_about(last, turn, expected):
    assert standalone(turn, [last], RELEASES)[0] == expected


def test_what_two_turns_switched_is_compared():
    history = [Turn(question="2.11 里 torch.linalg.svd 快了多少"), Turn(question="2.11 里 torch.linalg.lstsq 快了多少")]
    (form,) = standalone("哪个提升更大", history, RELEASES)
    assert "torch.linalg.svd 和 torch.linalg.lstsq 哪个提升更大" in form


@pytest.mark.parametrize(
    "turn",
    [
        "Which environment variable gets me the old AVX2 kernels in 2.1?",
        "2.1 里想退回 AVX2 内核要设哪个环境变量",
        "AOTInductor 是什么",
        "I have an Intel Mac; which is the last PyTorch version that runs on it?",
        "How do I install PyTorch nightly builds with the ROCm backend?",
    ],
)
def test_a_turn_that_stands_alone_is_left_alone(turn):
    assert not leans(turn)
    assert standalone(turn, [Turn(question="How many commits has PyTorch 2.4?")], RELEASES) == [turn]


def test_without_a_history_nothing_is_changed():
    assert standalone("那 2.6 呢？", [], RELEASES) == ["那 2.6 呢？"]


def test_the_assistant_answers_a_follow_up_and_says_how_it_was_understood(assistant):
    first = assistant.ask("PyTorch 2.4 有多少人参与贡献？")
    second = assistant.ask("那 2.6 呢？", history=[Turn.of(first)])
    assert first.standalone == ""
    assert second.standalone == "PyTorch 2.6 有多少人参与贡献？"
    assert "520" in second.answer
    assert {c.release for c in second.citations} == {"2.6"}


def test_counted_things_are_compared_by_the_program(assistant):
    answer = assistant.ask("Which had more contributors, 2.6, 2.7 or 2.12?")
    assert answer.computed == "Computed from the quotations: 520 (2.6) > 457 (2.7) = 457 (2.12)."
    assert [c.release for c in answer.citations] == ["2.6", "2.7", "2.12"]
    assert assistant.ask("How many commits has 2.2?").computed == ""


def test_a_run_of_releases_is_told_in_their_order(assistant):
    answer = assistant.ask("what changed in FlexAttention from 2.5 to 2.12")
    releases = [c.release for c in answer.citations]
    assert len(set(releases)) == len(releases) > 3
    assert releases == sorted(releases, key=lambda r: int(r.split(".")[1]))


def test_the_asked_fact_is_named_in_its_quote(assistant):
    who = assistant.ask("Who wrote the front end of fused Adagrad?").citations[0]
    assert who.fact == "Jane Xu"
    assert who.twin == "pytorch-2.12.zh#fused-adagrad"
    ratio = assistant.ask("2.12 的 eigh 快了多少？").citations[0]
    assert "100" in ratio.fact
    assert ratio.fact in ratio.quote
