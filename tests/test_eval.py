import json

import pytest

from app.abstain import FEATURES, Abstainer
from eval.calibrate import fit
from eval.cli import main
from eval.metrics import collapse, retrieval
from eval.questions import Question, holds, load
from eval.report import below_floor
from eval.settings import QUESTIONS
from ingest.errors import UserError


def question(**fields):
    base = dict(
        id="a-en",
        group="a",
        lang="en",
        question="Q?",
        answer_keys=(("1",),),
        evidence=(("d#a",),),
        type="number",
        split="dev",
        answerable=True,
    )
    return Question(**(base | fields))


@pytest.mark.parametrize(
    ("answer", "keys", "expected"),
    [
        ("It is 100 times faster", [["100"]], True),
        ("It is 1000 times faster", [["100"]], False),
        ("3,628 次提交", [["3628"]], True),
        ("PyTorch 2.12", [["2.1"]], False),
        ("PyTorch 2.1.", [["2.1"]], True),
        ("最高 100 倍", [["100倍"]], True),
        ("by Jane Xu, PR #177672", [["jane xu"], ["#177672"]], True),
        ("by Jane Xu", [["jane xu"], ["#177672"]], False),
        ("使用 cuSolver", [["cusolver", "MAGMA"]], True),
        ("`fused=True`", [["fused=true"]], True),
    ],
)
def test_keys_stand_by_themselves(answer, keys, expected):
    assert holds(answer, keys) is expected


def test_any_section_of_a_piece_counts_once_at_its_first_rank():
    assert collapse(["x", "a2", "a1", "b"], [["a1", "a2"], ["b"]]) == ["x", "e0", "e1"]


def test_measures_by_hand():
    evidence = {"one": [["a"]], "two": [["b"], ["c"]], "none": [["z"]]}
    found = retrieval({"one": ["x", "a"], "two": ["b", "x", "y", "c"]}, evidence)
    assert found["recall@1"] == pytest.approx((0 + 0.5 + 0) / 3)
    assert found["recall@5"] == pytest.approx((1 + 1 + 0) / 3)
    assert found["mrr@10"] == pytest.approx((0.5 + 1 + 0) / 3)
    ideal = 1 + 1 / 1.5849625
    assert found["ndcg@10"] == pytest.approx((1 / 1.5849625 + (1 + 1 / 2.3219281) / ideal + 0) / 3, abs=1e-4)


def test_calibration_separates_what_can_be_separated():
    rows = [dict.fromkeys(FEATURES, (0.9 if i % 2 else 0.1) + 0.01 * (i % 5)) for i in range(40)]
    model = Abstainer(**fit(rows, [bool(i % 2) for i in range(40)]))
    scores = [model.confidence(row) for row in rows]
    assert min(scores[1::2]) > model.threshold > max(scores[0::2])


@pytest.mark.parametrize("bad", [{"lang": "fr"}, {"type": "riddle"}, {"split": "train"}, {"answerable": False}, {"evidence": ()}])
def test_a_question_that_contradicts_itself_is_refused(bad):
    with pytest.raises(ValueError, match="question a-en"):
        question(**bad)


def test_a_group_in_both_splits_is_refused(tmp_path):
    path = tmp_path / "q.jsonl"
    records = [
        dict(
            id=f"a-{lang}",
            group="a",
            lang=lang,
            question="Q",
            answer_keys=["1"],
            evidence=["d#a"],
            type="number",
            split=split,
            answerable=True,
        )
        for lang, split in (("en", "dev"), ("zh", "test"))
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(UserError, match="group a is in both splits"):
        load(path)
    path.write_text(json.dumps(records[0]) + "\n{broken")
    with pytest.raises(UserError, match=r"q\.jsonl:2: is not JSON"):
        load(path)


def test_a_floor_that_is_missed_or_unknown_fails(tmp_path):
    path = tmp_path / "e.toml"
    path.write_text('[answers.all]\n"keys" = 0.9\n"refused <=" = 0.03\n"never measured" = 0.5\n')
    missed = below_floor({"answers": {"all": {"keys": 0.8, "refused": 0.05}}}, path)
    assert len(missed) == 3
    assert below_floor({"answers": {"all": {"keys": 0.9, "refused": 0.03, "never measured": 1.0}}}, path) == []


def test_the_question_set_is_what_it_should_be(document_texts):
    from ingest.schema import Document, text_hash
    from ingest.sections import find_sections

    questions = load(QUESTIONS)
    can = [q for q in questions if q.answerable]
    assert len(can) >= 120
    assert len(questions) - len(can) >= 30
    assert sum(q.lang == "zh" for q in can) * 2 == len(can)
    anchors = {}
    for name, text in document_texts.items():
        base, lang = name.rsplit(".", 1)
        document = Document(id=name, title="", project="", release="", lang=lang, url="", published="", text=text, sha256=text_hash(text))
        for section in find_sections(document.text):
            anchors.setdefault(f"{base}#{section.anchor}", {})[lang] = text[section.start : section.end]
    for q in can:
        for piece in q.evidence:
            assert all(section in anchors for section in piece), f"{q.id}: {piece}"
        evidence = " ".join(anchors[s][q.lang] for piece in q.evidence for s in piece)
        assert holds(evidence, q.answer_keys), f"{q.id}: its keys do not stand in its evidence"
    splits = {}
    for q in can:
        for piece in q.evidence:
            for section in piece[:1]:
                splits.setdefault(section, set()).add(q.split)
    torn = [s for s, found in splits.items() if len(found) > 1]
    assert not torn, f"evidence in both splits: {torn}"


def test_the_command_counts_the_set(capsys):
    assert main(["questions"]) == 0
    assert "groups" in capsys.readouterr().out


def test_the_whole_set_holds_its_floors(index_folder, capsys):
    assert main([]) == 0, capsys.readouterr()
