"""Conversion of phrases to derivations: individual constructions, and the treebank sample."""

from pathlib import Path

import pytest

from semipunct.papers.ccg.conversion import Unconverted, convert_phrases
from semipunct.papers.ccg.conversion.steps import unlicensed_rules
from semipunct.papers.commas.ptb import Bracketing, read_bracketings

SAMPLE = Path(__file__).resolve().parents[4] / "shared" / "data" / "ptb-sample"


def tree(tmp_path: Path, text: str) -> Bracketing:
    path = tmp_path / "some.mrg"
    path.write_text(text, encoding="utf-8")
    (bracketing,) = read_bracketings(path)
    return bracketing


def words(bracketing: Bracketing, *, quotes: bool = False) -> dict[str, str]:
    """Return the categories of the words other than determiners, nouns and final marks."""
    conversion = convert_phrases(bracketing.tree, bracketing.forms, quotes=quotes)
    forms = [bracketing.forms[leaf - 1] for leaf in conversion.leaves]
    assert not unlicensed_rules(conversion.derivation)
    return dict(zip(forms, conversion.derivation.tags, strict=True))


def test_a_derivation_written_out(tmp_path: Path):
    bracketing = tree(
        tmp_path,
        "( (S (NP-SBJ (NP (NNP Ada)) (, ,) (ADJP (NP (CD 9) (NNS years)) (JJ old)) (, ,))"
        " (VP (MD will) (VP (VB sing) (NP-TMP (NN today)))) (. .)))",
    )
    derived = convert_phrases(bracketing.tree, bracketing.forms).derivation
    assert derived.depths == (0, 1, 2, 3, 4, 5, 6, 5, 4, 5, 6, 7, 8, 8, 6, 3, 2, 3, 3, 4, 4, 1)
    assert " ".join(derived.categories) == (
        r"S[dcl] S[dcl] NP NP NP NP N , NP\NP S[adj]\NP NP N N/N N (S[adj]\NP)\NP , S[dcl]\NP "
        r"(S[dcl]\NP)/(S[b]\NP) S[b]\NP S[b]\NP (S\NP)\(S\NP) ."
    )
    assert [node for node, head in enumerate(derived.heads) if head] == [1, 9, 11]


SUBJECT = "(NP-SBJ (DT the) (NN cat))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            f"(S {SUBJECT} (VP (VBD gave) (NP (PRP me)) (NP (NNS mice))"
            " (PP-LOC (IN at) (NP (NN home)))))",
            {"gave": "((S[dcl]\\NP)/NP)/NP", "at": "((S\\NP)\\(S\\NP))/NP", "the": "NP[nb]/N"},
            id="complements and adjuncts of verbs",
        ),
        pytest.param(
            "(S (NP-SBJ (NP (DT the) (NN mouse)) (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ (PRP he))"
            " (VP (VBD said) (SBAR (-NONE- 0) (S (NP-SBJ (NNP Ada)) (VP (VBD saw)"
            " (NP (-NONE- *T*-1))))))))) (VP (VBD ran)))",
            {
                "that": "(NP\\NP)/(S[dcl]/NP)",
                "said": "(S[dcl]\\NP)/S[dcl]",
                "saw": "(S[dcl]\\NP)/NP",
            },
            id="object relative across a clause",
        ),
        pytest.param(
            "(S (NP-SBJ (NP (NNS mice)) (VP (VBN seen) (NP (-NONE- *)) (PP (IN by) (NP-LGS (NNP"
            " Ada))))) (VP (VBP run)))",
            {"seen": "S[pss]\\NP", "by": "((S\\NP)\\(S\\NP))/NP"},
            id="reduced relative",
        ),
        pytest.param(
            f"(S {SUBJECT} (VP (VBD slept) (, ,) (VBD woke) (CC and) (VBD ran)))",
            {",": ",", "and": "conj", "slept": "S[dcl]\\NP"},
            id="coordination",
        ),
        pytest.param(
            "(S (S-TPC-1 (NP-SBJ (NNS mice)) (VP (VBP run))) (, ,) (NP-SBJ (PRP she))"
            " (VP (VBD said) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))))",
            {"said": "(S[dcl]\\S[dcl])\\NP", ",": ","},
            id="fronted speech",
        ),
        pytest.param(
            "(SBARQ (WHNP-1 (WP what)) (SQ (VBD did) (NP-SBJ (PRP she)) (VP (VB see) (NP (-NONE-"
            " *T*-1)))) (. ?))",
            {"what": "S[wq]/(S[q]/NP)", "did": "(S[q]/(S[b]\\NP))/NP"},
            id="question",
        ),
    ],
)
def test_constructions(tmp_path: Path, text: str, expected: dict[str, str]):
    categories = words(tree(tmp_path, text))
    assert {word: categories[word] for word in expected} == expected


def test_quotation_marks_are_kept_where_they_are_wanted(tmp_path: Path):
    bracketing = tree(tmp_path, "(S (`` ``) (NP-SBJ (PRP she)) (VP (VBD slept)) ('' '') (. .))")
    assert words(bracketing) == {"she": "NP", "slept": "S[dcl]\\NP", ".": "."}
    assert words(bracketing, quotes=True)["``"] == "LQU"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(S (NP (-NONE- *)) (VP (-NONE- *)))", "no words"),
        (
            "(S (S (NP-SBJ-1 (NNP Ada)) (VP (VBZ sings))) (CC and) (S (NP-SBJ=1 (NNP Bea))))",
            "gapping",
        ),
        ("(S (NP (, ,)) (VP (VBZ sings)))", "a phrase of marks alone"),
    ],
)
def test_what_is_not_known_is_told(tmp_path: Path, text: str, reason: str):
    bracketing = tree(tmp_path, text)
    with pytest.raises(Unconverted, match=reason):
        convert_phrases(bracketing.tree, bracketing.forms)


def test_nearly_all_of_the_sample_is_converted():
    path = SAMPLE / "dev.mrg"
    if not path.exists():
        pytest.skip("the sample of the Penn Treebank is not in ../shared")
    bracketings, unconverted = list(read_bracketings(path)), 0
    for bracketing in bracketings:
        try:
            conversion = convert_phrases(bracketing.tree, bracketing.forms)
        except Unconverted:
            unconverted += 1
            continue
        silent = ("-NONE-", "``", "''")
        words = [n for n, tag in enumerate(bracketing.tree.tags, start=1) if tag not in silent]
        assert list(conversion.leaves) == words
        assert conversion.derivation.words == len(words)
        assert not unlicensed_rules(conversion.derivation)
    assert unconverted / len(bracketings) < 0.05
