import pytest

from app.plan import clean_question, make_plan, nearest_release
from ingest.errors import UserError

KNOWN = ("2.2", "2.7", "2.8", "2.12")


@pytest.mark.parametrize(
    ("question", "releases", "missing"),
    [
        ("How much faster is eigh in 2.12?", ("2.12",), ()),
        ("2.12 的 eigh 快了多少？", ("2.12",), ()),
        ("PyTorch 2.12版有什么新特性", ("2.12",), ()),
        ("what came in v2.12.1", ("2.12",), ()),
        ("torch 2.2.x on macOS", ("2.2",), ()),
        ("2.2 和 2.12 哪个提交更多", ("2.2", "2.12"), ()),
        ("Does CUDA 12.8 still ship?", (), ()),
        ("needs Python 2.7 or CUDA 2.8", (), ()),
        ("is it 2.7x faster", (), ()),
        ("快了 2.7 倍吗", (), ()),
        ("ROCm 7.12 and GCC 9.4", (), ()),
        ("What is new in PyTorch 2.30?", (), ("2.30",)),
        ("3.0 版本有什么", (), ()),
        ("PyTorch 3.0 有什么", (), ("3.0",)),
        ("最新版支持什么", ("2.12",), ()),
        ("What does the latest release bring?", ("2.12",), ()),
        ("who wrote fused Adagrad", (), ()),
        ("What is the newest PyTorch I can run on Python 3.8?", (), ()),
        ("What is new in the version before 2.8?", ("2.7",), ()),
        ("2.7 的下一个版本有什么", ("2.8",), ()),
        ("what changed for MPS since 2.7", ("2.7", "2.8", "2.12"), ()),
        ("从 2.7 开始 TorchScript 怎么样了", ("2.7", "2.8", "2.12"), ()),
        ("FlexAttention from 2.2 to 2.8", ("2.2", "2.7", "2.8"), ()),
        ("从 2.2 到 2.8 有哪些变化", ("2.2", "2.7", "2.8"), ()),
        ("how many commits had all releases", KNOWN, ()),
        ("各版本的贡献者有多少", KNOWN, ()),
        ("CUDA from 12.6 to 13.0", (), ()),
    ],
)
def test_releases_are_read_as_people_mean_them(question, releases, missing):
    plan = make_plan(question, KNOWN)
    assert (plan.releases, plan.missing) == (releases, missing)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who wrote the Adagrad kernel?", "person"),
        ("谁实现了 torch.cond 的捕获？", "person"),
        ("Which PR added it?", "pr"),
        ("是哪个 PR 加入的？", "pr"),
        ("When was 2.12 released?", "date"),
        ("2.12 是什么时候发布的？", "date"),
        ("How many commits does 2.2 have?", "number"),
        ("2.12 的 eigh 快了多少？", "ratio"),
        ("How much faster is eigh?", "ratio"),
        ("Which release deprecated TorchScript?", "release"),
        ("TorchScript 从哪个版本开始弃用？", "release"),
        ("How do I turn on logging?", "howto"),
        ("如何启用日志？", "howto"),
        ("Why was macOS x86 dropped?", "why"),
        ("What is AOTInductor?", "what"),
        ("What are the main features of 2.12?", "summary"),
        ("What came with PyTorch 2.2?", "summary"),
        ("2.12 有哪些新特性？", "summary"),
        ("PyTorch 2.2 带来了什么", "summary"),
        ("What is new in the latest release?", "summary"),
        ("2.2 和 2.12 有什么新特性", "summary"),
        ("What is new for AMD in 2.12?", "what"),
        ("2.12 有哪些破坏性变更", "what"),
        ("What are the main features?", "what"),
    ],
)
def test_the_kind_of_fact_is_read(question, kind):
    assert make_plan(question, KNOWN).kind == kind


@pytest.mark.parametrize(
    ("question", "lang"),
    [
        ("torch.compile 支持 CUDA Graph 吗", "zh"),
        ("What is AOTInductor?", "en"),
        ("eigh?", "en"),
        ("リリースはいつですか", "ja"),
        ("언제 나왔나요", "ko"),
    ],
)
def test_the_questions_language_is_its_authors(question, lang):
    assert make_plan(question, KNOWN).lang == lang


def test_identifiers_and_prs_are_read():
    plan = make_plan("Does `torch.cond` from PR 168912 work with init_device_mesh and FlexAttention, see #179457?", KNOWN)
    assert plan.identifiers == ("torch.cond", "init_device_mesh", "flexattention")
    assert plan.prs == ("#168912", "#179457")


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("", "is empty"),
        ("  \n ", "is empty"),
        ("a", "too short"),
        ("?!…。，", "no letters"),
        ("x" * 10_000, "10,000 characters, more than 1,000"),
        ("what\x07 is", r"control character \(U\+0007\)"),
        ("what\x00 is", r"control character \(U\+0000\)"),
        ("what \ud800", r"control character \(U\+D800\)"),
    ],
)
def test_what_cannot_be_asked_gives_one_line_with_a_remedy(question, what):
    with pytest.raises(UserError, match=what) as caught:
        clean_question(question)
    assert caught.value.remedy
    assert str(caught.value).startswith("question: ")


def test_the_nearest_release_is_near_by_number():
    assert nearest_release("2.30", KNOWN) == "2.12"
    assert nearest_release("2.3", KNOWN) == "2.2"
    assert nearest_release("1.0", KNOWN) == "2.2"
