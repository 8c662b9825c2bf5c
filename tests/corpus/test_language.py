import pytest

from semipunct.corpus.language import language_of


@pytest.mark.parametrize(
    "paths, language",
    [
        (["id-ud-dev.conllu"], "id"),
        (["data/UD_Indonesian-GSD/id_gsd-ud-train.conllu.gz", "id_gsd-ud-dev.conllu"], "id"),
        (["ud-1.4/zh/train.conllu", "zh/dev.conllu"], "zh"),
        (["grc_proiel-ud-test.conllu"], "grc"),
        (["en-ud-dev.conllu", "id-ud-dev.conllu"], None),
        (["en-ud-dev.conllu", "dev.conllu"], None),
        (["my/dev.conllu"], None),
        (["xx-ud-dev.conllu"], None),
        (["-"], None),
        ([], None),
    ],
)
def test_names_of_files_tell_the_language(paths: list[str], language: str | None):
    assert language_of(paths) == language
