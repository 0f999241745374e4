"""The digest of library code: comments do not count, functions two imports away do."""

import pytest

from xstitch.plan import digest


@pytest.fixture
def library(tmp_path):
    """A script that reaches `near`, which reaches `far`; `other` is not reached."""
    package = tmp_path / "xstitch"
    (package / "sub").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "near.py").write_text("from xstitch.sub import far\n")
    (package / "other.py").write_text("x = 1\n")
    (package / "sub" / "__init__.py").write_text("")
    (package / "sub" / "far.py").write_text('"""Doc."""\ndef f():\n    """Doc."""\n    return 1\n')
    script = tmp_path / "script.py"
    script.write_text("import numpy\nfrom xstitch.near import g\n")
    return script


def current(script):
    digest._module_files.cache_clear()  # tests add and remove files
    return digest.library_digest(script)


def test_comments_docstrings_and_layout_do_not_count(library):
    before = current(library)
    far = library.parent / "xstitch/sub/far.py"
    far.write_text('"""Other words."""\n\n# a comment\ndef f():\n    return (1)\n')
    assert current(library) == before


def test_descriptions_of_fields_do_not_count_but_fields_do(library):
    far = library.parent / "xstitch/sub/far.py"
    settings = 'class S:\n    """Settings."""\n\n    size: int = 1\n    """{}"""\n'
    far.write_text(settings.format("How large."))
    before = current(library)
    far.write_text(settings.format("How many."))
    assert current(library) == before
    far.write_text(settings.format("How many.").replace("= 1", "= 2"))
    assert current(library) != before


def test_a_function_two_imports_away_counts(library):
    before = current(library)
    (library.parent / "xstitch/sub/far.py").write_text("def f():\n    return 2\n")
    assert current(library) != before


def test_a_module_that_is_imported_while_running_counts_if_named_with_all_it_reaches(library):
    (library.parent / "xstitch/late.py").write_text("from xstitch.other import x\n")

    def named():
        current(library)  # forgets what was read before
        return digest.library_digest(library, "xstitch.late")

    before = named()
    assert before != current(library)
    (library.parent / "xstitch/other.py").write_text("x = 2\n")
    assert named() != before


def test_a_module_that_is_not_reached_does_not_count(library):
    before = current(library)
    (library.parent / "xstitch/other.py").write_text("x = 2\n")
    assert current(library) == before


@pytest.mark.parametrize(
    "statement",
    [
        "import xstitch.other",
        "from xstitch import other",
        "def f():\n    import xstitch.other",
        "class C:\n    async def f(self):\n        with g():\n            import xstitch.other",
        "try:\n    import xstitch.other\nexcept ImportError:\n    pass",
        "try:\n    pass\nexcept ImportError:\n    import xstitch.other",
        "try:\n    pass\nfinally:\n    import xstitch.other",
        "for x in y:\n    pass\nelse:\n    import xstitch.other",
        "match x:\n    case 1:\n        import xstitch.other",
    ],
)
def test_every_form_of_import_is_followed(library, statement):
    library.write_text(statement + "\n")
    before = current(library)
    (library.parent / "xstitch/other.py").write_text("x = 3\n")
    assert current(library) != before


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_a_module_that_is_imported_for_its_types_alone_does_not_count(library, test):
    library.write_text(
        f"import typing\nfrom typing import TYPE_CHECKING\nif {test}:\n    import xstitch.other\n"
    )
    before = current(library)
    (library.parent / "xstitch/other.py").write_text("x = 5\n")
    assert current(library) == before


@pytest.mark.parametrize("block", ["if True:\n    {}", "if TYPE_CHECKING:\n    pass\nelse:\n    {}"])
def test_a_module_that_is_imported_under_another_condition_counts(library, block):
    library.write_text(block.format("import xstitch.other") + "\n")
    before = current(library)
    (library.parent / "xstitch/other.py").write_text("x = 6\n")
    assert current(library) != before


def test_a_package_init_counts_for_its_modules(library):
    before = current(library)
    (library.parent / "xstitch/sub/__init__.py").write_text("y = 1\n")
    assert current(library) != before


def test_relative_imports_inside_the_package_are_followed(library):
    (library.parent / "xstitch/sub/far.py").write_text("from ..other import x\n")
    before = current(library)
    (library.parent / "xstitch/other.py").write_text("x = 4\n")
    assert current(library) != before


class Counted(digest.Summaries):
    """Summaries that name the modules whose syntax they have looked at."""

    def __init__(self, file):
        super().__init__(file)
        self.before = dict(self.known)

    @property
    def parsed(self):
        return {place for place, summary in self.known.items() if self.before.get(place) is not summary}


def kept(script, file):
    summaries = Counted(file)
    return digest.library_digest(script, summaries=summaries), summaries.parsed


def test_a_kept_summary_serves_until_the_text_of_its_module_changes(library, tmp_path):
    file = tmp_path / "kept/summaries.json"
    first, parsed = kept(library, file)
    assert first == current(library)
    assert "xstitch/sub/far.py" in parsed
    assert kept(library, file) == (first, set())
    (library.parent / "xstitch/sub/far.py").write_text("def f():\n    return 2\n")
    second, parsed = kept(library, file)
    assert parsed == {"xstitch/sub/far.py"}
    assert second == current(library) != first
    (library.parent / "xstitch/near.py").write_text("from xstitch import other\n")
    assert kept(library, file) == (current(library), {"xstitch/near.py", "xstitch/other.py"})


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"maker": 1, "known": {"script.py": 3}}', '{"maker": "", ']
)
def test_a_damaged_file_of_summaries_is_replaced(library, tmp_path, text):
    file = tmp_path / "summaries.json"
    file.write_text(text)
    assert kept(library, file)[0] == current(library)
    assert kept(library, file)[1] == set()


def test_summaries_of_another_python_or_of_other_code_count_for_nothing(library, tmp_path, monkeypatch):
    file = tmp_path / "summaries.json"
    kept(library, file)
    monkeypatch.setattr(digest, "_maker", lambda: "another")
    assert "script.py" in kept(library, file)[1]


def test_a_folder_that_is_not_writable_only_costs_time(library, tmp_path):
    (tmp_path / "file").write_text("")
    assert kept(library, tmp_path / "file/summaries.json")[0] == current(library)
