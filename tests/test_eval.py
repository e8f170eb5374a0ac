import json

import pytest

from app import extract
from app.abstain import FEATURES, Abstainer
from eval.calibrate import fit_abstainer, fit_sentences
from eval.cli import main
from eval.counts import shared_words
from eval.metrics import collapse, retrieval
from eval.questions import Dialogue, Question, holds, load, load_dialogues, torn
from eval.report import below_floor
from eval.settings import DIALOGUES, QUESTIONS
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


def test_the_abstainer_separates_what_can_be_separated():
    rows = [dict.fromkeys(FEATURES, (0.9 if i % 2 else 0.1) + 0.01 * (i % 5)) for i in range(80)]
    model = Abstainer(**fit_abstainer(rows, [bool(i % 2) for i in range(80)], [f"section {i // 2}" for i in range(80)]))
    scores = [model.confidence(row) for row in rows]
    assert min(scores[1::2]) > model.threshold > max(scores[0::2])


def test_sentence_weights_follow_what_holds_the_fact():
    def row(**values):
        return dict.fromkeys(extract.FEATURES, 0.0) | values

    questions = [([row(cosine=0.5, row=1.0), row(cosine=0.4, exact=1.0), row(cosine=0.1)], [0.0, 1.0, 0.0])] * 3
    weights = fit_sentences(questions)
    assert weights["exact"] > 0 > weights["row"]


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
    cannot = [q for q in questions if not q.answerable]
    assert len(can) >= 500
    assert sum(q.lang == "zh" for q in can) * 2 == len(can)
    assert sum(len(q.releases) > 1 for q in can) >= 60
    assert sum("collides" in q.tags for q in can) >= 40
    assert len(cannot) >= 120
    assert sum("near miss" in q.tags for q in cannot) >= 60
    assert {r for q in can for r in q.releases} == {f"2.{n}" for n in range(13)}
    anchors = {}
    for name, text in document_texts.items():
        base, lang = name.rsplit(".", 1)
        document = Document(id=name, title="", project="", release="", lang=lang, url="", published="", text=text, sha256=text_hash(text))
        for section in find_sections(document.text):
            anchors.setdefault(f"{base}#{section.anchor}", {})[lang] = text[section.start : section.end]
    dialogues = load_dialogues(DIALOGUES)
    assert len(dialogues) >= 40
    turns = [turn for d in dialogues for turn in d.turns]
    assert torn([*questions, *turns]) == []
    for q in [*can, *(turn for turn in turns if turn.answerable)]:
        for piece in q.evidence:
            assert all(section in anchors for section in piece), f"{q.id}: {piece}"
        evidence = " ".join(anchors[s][q.lang] for piece in q.evidence for s in piece)
        assert holds(evidence, q.answer_keys), f"{q.id}: its keys do not stand in its evidence"


def test_a_dialogue_has_turns_of_its_own_language_and_split():
    turn = dict(question="Q?", standalone="Q of X?", answer_keys=["1"], evidence=[["d-2.1#a"]], type="number", answerable=True)
    record = dict(id="d-a-en", group="d-a", lang="en", split="dev", turns=[turn, turn])
    dialogue = Dialogue.from_dict(record)
    assert [t.id for t in dialogue.turns] == ["d-a-en/1", "d-a-en/2"]
    assert {(t.lang, t.split) for t in dialogue.turns} == {("en", "dev")}
    assert dialogue.turns[0].releases == ("2.1",)
    with pytest.raises(ValueError, match="d-a-en: 1 turns"):
        Dialogue.from_dict(record | {"turns": [turn]})


def test_shared_words_are_counted_without_stop_words():
    q = question(question="How much faster is eigh on the moon?", evidence=(("d#a",),))
    assert shared_words(q, {"d.en#a": "eigh is 100 times faster"}) == pytest.approx(2 / 4)


def test_the_command_counts_the_set(capsys):
    assert main(["questions"]) == 0
    printed = capsys.readouterr().out
    for part in ("by release", "by type", "near misses", "dialogues", "shared words", "groups"):
        assert part in printed


def test_the_whole_set_holds_its_floors(index_folder, capsys):
    assert main([]) == 0, capsys.readouterr()
